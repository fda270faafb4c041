// The polling method as tables: bandwidth and availability against the interval, layers side by
// side; and the one against the other.
#include <calib/driver/comb/side_by_side.hpp>

#include <calib/format.hpp>

namespace calib {
namespace {

using polling_curves = curves_of_layers<polling_curve>;

constexpr double availabilities[] = {0.5, 0.9, 0.99};

grid by_availability(const polling_curves& all, bool colour) {
  grid out(colour);
  std::vector<cell> titles = {title("merit"), title("peak GB/s")};
  for (const double least : availabilities) titles.push_back(title(format("at {:g}", least)));
  out.add("", std::move(titles), true);
  for (const auto& [layer, curve] : all) {
    std::vector<cell> cells = {cell_of(curve->merit), figure(curve->peak)};
    for (const double least : availabilities) cells.push_back(figure(bandwidth_at(*curve, least)));
    out.add(layer->layer.name, std::move(cells));
  }
  return out;
}

}  // namespace

std::string polling_tables(const comb_result& from, bool colour) {
  std::string out;
  for (const auto& [transport, of] : cases_of(from, &comb_layer::polling)) {
    const polling_curves all = side_by_side(from, &comb_layer::polling, transport, of);
    out += format("\nPolling over {}: {}\n\n{}\n{}", transport, size_of(of),
                  by_iterations(all, "interval", median_cell, colour).text(),
                  by_availability(all, colour).text());
  }
  return out;
}

}  // namespace calib

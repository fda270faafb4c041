// Post-work-wait as tables: the phases, and bandwidth and availability, against the work, layers
// side by side; and what they show.
#include <calib/driver/comb/side_by_side.hpp>

#include <calib/format.hpp>

namespace calib {
namespace {

using pww_curves = curves_of_layers<pww_curve>;

cell if_known(const std::optional<estimate>& of) { return of ? cell_of(*of) : cell{}; }

std::vector<cell> titles_of(phase_columns columns) {
  std::vector<cell> out = {title("post us"), title("work us")};
  if (columns.with_test) out.push_back(title("test us"));
  out.push_back(title("wait us"));
  if (columns.with_alone) out.push_back(title("work alone us"));
  return out;
}

std::vector<cell> phases_of(const pww_point* at, phase_columns columns, cell_maker make) {
  if (at == nullptr) return std::vector<cell>(titles_of(columns).size());
  std::vector<cell> out = {make(in_us(at->post)), make(in_us(at->worked))};
  if (columns.with_test) out.push_back(make(in_us(at->test)));
  out.push_back(make(in_us(at->wait)));
  if (columns.with_alone) out.push_back(make(in_us(at->dry)));
  return out;
}

grid what_it_shows(const pww_curves& all, bool colour) {
  grid out(colour);
  out.add("", {title("merit"), title("offload"), title("slope"), title("overhead us")}, true);
  for (const auto& [layer, curve] : all)
    out.add(layer->layer.name,
            {cell_of(curve->merit), if_known(curve->hidden), if_known(curve->slope),
             median_cell(in_us(curve->points[curve->loaded].overhead))});
  return out;
}

}  // namespace

grid by_work(const pww_curves& all, phase_columns columns, cell_maker make, bool colour) {
  grid out(colour);
  std::vector<cell> layers;
  std::vector<cell> phases;
  for (const auto& [layer, curve] : all) {
    layers.push_back(title(layer->layer.name));
    for (cell& one : titles_of(columns)) phases.push_back(std::move(one));
    layers.resize(phases.size());
  }
  out.add("", std::move(layers), true);
  out.add("work", std::move(phases), true);
  for (const std::uint64_t work : all_iterations(all)) {
    std::vector<cell> cells;
    for (const auto& [layer, curve] : all)
      for (cell& one : phases_of(point_at(*curve, work), columns, make))
        cells.push_back(std::move(one));
    out.add(std::to_string(work), std::move(cells));
  }
  return out;
}

std::string pww_tables(const comb_result& from, bool colour) {
  std::string out;
  for (const auto& [transport, of] : cases_of(from, &comb_layer::pww)) {
    const bool with_test = of.method == "pww-test";
    const pww_curves all = side_by_side(from, &comb_layer::pww, transport, of);
    out += format("\nPost-work-wait{} over {}: {}, phases in us\n\n{}\n{}\n{}",
                  with_test ? " with one test" : "", transport, size_of(of),
                  by_work(all, {.with_test = with_test}, median_cell, colour).text(),
                  by_iterations(all, "work", median_cell, colour).text(),
                  what_it_shows(all, colour).text());
  }
  return out;
}

}  // namespace calib

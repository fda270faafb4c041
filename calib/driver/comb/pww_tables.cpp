// Post-work-wait as tables: the phases, and bandwidth and availability, against the work, layers
// side by side; and what they show.
#include <calib/driver/comb/side_by_side.hpp>

#include <calib/format.hpp>

namespace calib {
namespace {

using pww_curves = curves_of_layers<pww_curve>;

cell us(const estimate& ns) { return {number(ns.median / 1000), "", ""}; }

cell if_known(const std::optional<estimate>& of) { return of ? cell_of(*of) : cell{}; }

std::vector<cell> phases_of(const pww_point* at, bool with_test) {
  std::vector<cell> out(with_test ? 4 : 3);
  if (at == nullptr) return out;
  out = {us(at->post), us(at->worked)};
  if (with_test) out.push_back(us(at->test));
  out.push_back(us(at->wait));
  return out;
}

grid by_work(const pww_curves& all, bool with_test, bool colour) {
  grid out(colour);
  std::vector<cell> layers;
  std::vector<cell> phases;
  for (const auto& [layer, curve] : all) {
    layers.push_back(title(layer->layer.name));
    phases.insert(phases.end(), {title("post"), title("work")});
    if (with_test) phases.push_back(title("test"));
    phases.push_back(title("wait"));
    layers.resize(phases.size());
  }
  out.add("", std::move(layers), true);
  out.add("work", std::move(phases), true);
  for (const std::uint64_t work : all_iterations(all)) {
    std::vector<cell> cells;
    for (const auto& [layer, curve] : all)
      for (cell& one : phases_of(point_at(*curve, work), with_test))
        cells.push_back(std::move(one));
    out.add(std::to_string(work), std::move(cells));
  }
  return out;
}

grid what_it_shows(const pww_curves& all, bool colour) {
  grid out(colour);
  out.add("", {title("merit"), title("offload"), title("slope"), title("overhead us")}, true);
  for (const auto& [layer, curve] : all)
    out.add(layer->layer.name, {cell_of(curve->merit), if_known(curve->hidden),
                                if_known(curve->slope), us(curve->points[curve->loaded].overhead)});
  return out;
}

}  // namespace

std::string pww_tables(const comb_result& from, bool colour) {
  std::string out;
  for (const auto& [transport, of] : cases_of(from, &comb_layer::pww)) {
    const bool with_test = of.method == "pww-test";
    const pww_curves all = side_by_side(from, &comb_layer::pww, transport, of);
    out += format("\nPost-work-wait{} over {}: {}, phases in us\n\n{}\n{}\n{}",
                  with_test ? " with one test" : "", transport, size_of(of),
                  by_work(all, with_test, colour).text(), by_iterations(all, "work", colour).text(),
                  what_it_shows(all, colour).text());
  }
  return out;
}

}  // namespace calib

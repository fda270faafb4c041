// Curves of one case over one transport, of all layers: tables with a group of columns for each
// layer.
#pragma once

#include <calib/driver/comb/comb_result.hpp>

#include <calib/driver/output/grid.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace calib {

template <class Curve>
using curves_of_layers = std::vector<std::pair<const comb_layer*, const Curve*>>;

template <class Curve>
curves_of_layers<Curve> side_by_side(const comb_result& from,
                                     std::vector<Curve> comb_layer::*method,
                                     const std::string& transport, const comb_case& of) {
  curves_of_layers<Curve> out;
  for (const comb_layer& one : from.layers)
    if (one.layer.transport == transport)
      for (const Curve& curve : one.*method)
        if (curve.of == of) out.emplace_back(&one, &curve);
  return out;
}

// Each transport with each case that was measured over it, in the order of the tables.
template <class Curve>
std::set<std::pair<std::string, comb_case>> cases_of(const comb_result& from,
                                                     std::vector<Curve> comb_layer::*method) {
  std::set<std::pair<std::string, comb_case>> out;
  for (const comb_layer& layer : from.layers)
    for (const Curve& one : layer.*method) out.emplace(layer.layer.transport, one.of);
  return out;
}

template <class Curve>
std::set<std::uint64_t> all_iterations(const curves_of_layers<Curve>& in) {
  std::set<std::uint64_t> out;
  for (const auto& [layer, curve] : in)
    for (const auto& one : curve->points) out.insert(one.iterations);
  return out;
}

// Null: this layer was not measured there.
template <class Curve>
auto point_at(const Curve& in, std::uint64_t iterations) -> decltype(in.points.data()) {
  for (const auto& one : in.points)
    if (one.iterations == iterations) return &one;
  return nullptr;
}

inline cell figure(double value) { return {number(value), "", ""}; }
inline estimate in_us(const estimate& ns) { return divided(ns, 1000); }

// How a table writes its values: cell_of, or this where intervals have no room.
using cell_maker = cell (*)(const estimate&);
inline cell median_cell(const estimate& of) { return figure(of.median); }

// Bandwidth and availability against the iterations, which are called `name`.
template <class Curve>
grid by_iterations(const curves_of_layers<Curve>& all, const char* name, cell_maker make,
                   bool colour) {
  grid out(colour);
  std::vector<cell> layers = {title("")};
  std::vector<cell> units = {title("us")};
  for (const auto& [layer, curve] : all) {
    layers.insert(layers.end(), {title(layer->layer.name), title("")});
    units.insert(units.end(), {title("GB/s"), title("avail.")});
  }
  out.add("", std::move(layers), true);
  out.add(name, std::move(units), true);
  const double iteration = all.front().first->iteration.median;
  for (const std::uint64_t iterations : all_iterations(all)) {
    std::vector<cell> cells = {figure(static_cast<double>(iterations) * iteration / 1000)};
    for (const auto& [layer, curve] : all) {
      const auto* at = point_at(*curve, iterations);
      cells.push_back(at == nullptr ? cell{} : make(at->bandwidth));
      cells.push_back(at == nullptr ? cell{} : make(at->availability));
    }
    out.add(std::to_string(iterations), std::move(cells));
  }
  return out;
}

// What a table of the phases has: the test of pww-test, and what the work takes alone.
struct phase_columns {
  bool with_test = false;
  bool with_alone = false;
};
// The phases against the work, in us.
grid by_work(const curves_of_layers<pww_curve>& all, phase_columns columns, cell_maker make,
             bool colour);

}  // namespace calib

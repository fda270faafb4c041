// am-commtest/1: read until its own pictures can be drawn.
#include <calib/driver/commtest/commtest_result.hpp>
#include <calib/driver/commtest/groups.hpp>
#include <calib/driver/output/json_measured.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

constexpr std::size_t most_protocols = 50'000;  // of all layers and slices
constexpr std::size_t most_slices = 1000;

commtest_figure figure_of(const json_field& from, const char* unit) {
  commtest_figure out{from["of_least"].number(), {}};
  read(from["over_runs"], known_value{out.over_runs, unit});
  return out;
}

// The one of `all` that has this name; another name is a fault.
template <class All, class Name>
auto named(const json_field& from, const All& all, Name&& name_of) -> decltype(&*all.begin()) {
  const std::string name = from.text();
  const auto at = std::ranges::find_if(all, [&](const auto& one) { return name == name_of(one); });
  if (at == all.end()) from.expected("one that commtest has");
  return at == all.end() ? &*all.begin() : &*at;
}

std::size_t volume_of(const json_field& from) {
  const std::size_t out = from.count();
  if (std::ranges::find(swap_volumes, out) == swap_volumes.end()) {
    from.expected("2097152, 131072 or 8192");
    return swap_volumes.front();
  }
  return out;
}

// Packets that divide every volume.
unsigned packets_of(const json_field& from) {
  const std::uint64_t out = from.count();
  if (out < 1 || out > most_packets) {
    from.expected(format("1 to {}", most_packets));
    return 1;
  }
  return static_cast<unsigned>(out);
}

commtest_row row_of(const json_field& from) {
  const auto name = [](const auto& one) { return name_of(one); };
  commtest_row out{
      {from["layer"].text(), from["transport"].text()},
      {from["pairs"].text(), *named(from["mode"], cache_modes, name), volume_of(from["volume"])},
      named(from["protocol"], swap_protocols(), [](const swap_protocol& one) { return one.name; }),
      *named(from["set"], swap_sets, name)};
  out.alpha = figure_of(from["alpha"], "ns");
  out.beta = figure_of(from["beta"], "ns/B");
  out.latency = figure_of(from["latency"], "ns");
  out.bandwidth = figure_of(from["swap"], "GB/s");
  for (const json_field& one : from["times"].items(most_points, "times"))
    out.points.push_back(
        {packets_of(one["packets"]), figure_of(one["time"], "ns"), one["span"].number()});
  return out;
}

}  // namespace

void add_commtest(const json_field& whole, html::page& into) {
  commtest_result from;
  const json_field rows = whole["rows"];
  for (const json_field& one : rows.items(most_protocols, "rows")) from.rows.push_back(row_of(one));
  for (const json_field& one : whole["scope"]["packets"].items(most_points, "packets"))
    from.scope.packets.push_back(packets_of(one));
  const json_field best = whole["best"];
  read(best, from.best);
  if (!read_measurement(whole, from)) return;
  const std::size_t slices = layers_and_slices(from.rows).size();
  rows.at_most(most_slices, slices, "layers and slices");
  if (from.best.size() != slices)
    best.expected(format("{} sentences, one for each layer and slice", slices));
  if (!whole.good()) return;
  for (const commtest_group& one : groups_of(from))
    rows.at_most(most_names, one.layers.size(), "layers of a slice");
  if (!whole.good()) return;
  add_head(from, into);
  add_pictures(from, into);
  add_remarks(from, into);
}

}  // namespace calib

#include <calib/suite/result.hpp>

#include <calib/suite/launched.hpp>

#include <algorithm>
#include <optional>

namespace calib::suite {
namespace {

void add_rows(const median_map& all, const entry& of, result& into) {
  constexpr std::string_view prefix = "phase/";
  const auto add = [&](const std::string& phase, const std::string& probe) {
    if (const auto* found = find_figure(all, of, probe))
      into.rows.push_back({of, phase, estimate_of(values_of(found->second))});
  };
  add("total", "time");
  for (const auto& [key, rounds] : all)
    if (key.first == of.key() && key.second.probe.starts_with(prefix))
      add(key.second.probe.substr(prefix.size()), key.second.probe);
}

void add_traffic(const median_map& all, const entry& of, result& into) {
  traffic_row out{of};
  const std::pair<const char*, double traffic_row::*> figures[] = {
      {"messages", &traffic_row::messages},
      {"bulk_messages", &traffic_row::bulk_messages},
      {"bulk_bytes", &traffic_row::bulk_bytes},
      {"reads", &traffic_row::reads},
      {"barriers", &traffic_row::barriers}};
  for (const auto& [probe, figure] : figures) {
    const auto* const found = find_figure(all, of, probe);
    if (found == nullptr) return;
    out.*figure = median(values_of(found->second));
  }
  into.traffic.push_back(out);
}

bool is_compared(const entry& ours, const entry& other) {
  return ours.is_libam() && !other.is_libam() && ours.program == other.program &&
         ours.transport == other.transport && ours.ranks == other.ranks;
}

}  // namespace

void analyse(result& into) {
  const median_map all = collect_medians(into.launches);
  for (const entry& one : into.entries) {
    add_rows(all, one, into);
    if (one.is_libam()) add_traffic(all, one, into);
    for (const entry& other : into.entries)
      if (is_compared(one, other))
        if (const auto times =
                ratio_within_rounds(find_figure(all, one, "time"), find_figure(all, other, "time")))
          into.ratios.push_back({one, other, *times});
  }
  for (const entry& one : into.entries) add_failure(one, into);
  collect_notes(into.launches, into.environment);
}

}  // namespace calib::suite

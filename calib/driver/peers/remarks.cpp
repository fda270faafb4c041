#include <calib/driver/peers/remarks.hpp>

#include <calib/driver/launch/catalogue.hpp>
#include <calib/format.hpp>

#include <map>
#include <set>

namespace calib {
namespace {

constexpr double jump = 1.5;         // of a limit between rounds
constexpr double lone_slower = 1.3;  // a lone message after a flood, in times of rtt

// A limit that a real layer beats is no limit.
void remark_beaten_limits(const median_map& all, std::vector<std::string>& remarks) {
  for (const measured_layer& limit : measured_layers())
    for (const measured_layer& layer : measured_layers())
      for (const metric& metric : metrics_of(all)) {
        if (!is_limit(limit) || is_limit_of_one_method(limit) || is_limit(layer) ||
            limit.transport != layer.transport)
          continue;
        const auto value =
            ratio_within_rounds(best_variant(all, layer, metric), best_variant(all, limit, metric));
        if (value && value->interval && value->interval->high < 1)
          remarks.push_back(format("fault of {}: {} takes only {:.2f} of its {}", limit.name,
                                   name_of(layer), value->median, text_of(metric)));
      }
}

// Now and then a hypervisor runs both CPUs on one core, or another guest slows both. If several
// figures of a limit jump in one round, the first is named.
void remark_jumps(const median_map& all, std::vector<std::string>& remarks) {
  for (const measured_layer& limit : measured_layers()) {
    std::map<unsigned, std::pair<std::string, unsigned>> jumps;  // round: the first; how many more
    for (const metric& metric : metrics_of(all)) {
      const auto* chosen = is_limit(limit) ? best_variant(all, limit, metric) : nullptr;
      if (chosen == nullptr) continue;
      const double usual = median(values_of(chosen->second));
      for (const auto& [round, value] : chosen->second) {
        if (value <= usual * jump && value >= usual / jump) continue;
        const auto [at, first] = jumps.try_emplace(
            round,
            format("{} was {:.1f} ns, usually {:.1f}: the CPUs were {}", text_of(metric), value,
                   usual, value < usual ? "nearer than usual" : "disturbed"),
            0);
        if (!first) ++at->second.second;
      }
    }
    for (const auto& [round, found] : jumps)
      remarks.push_back(format(
          "round {}: {}'s {}; kept{}", round, limit.name, found.first,
          found.second > 0 ? format("; so it was with {} more of its figures", found.second) : ""));
  }
}

void remark_lone_messages(const median_map& all, result& into) {
  for (const measured_layer& layer : measured_layers()) {
    const auto value =
        ratio_within_rounds(best_variant(all, layer, parse_metric("rtt_after_flood")),
                            best_variant(all, layer, parse_metric("rtt")));
    if (!value) continue;
    into.lone_after_flood[layer.name] = *value;
    if (value->median > lone_slower)
      into.remarks.push_back(
          format("{}: a lone message right after a flood takes {:.2f} times its rtt", layer.name,
                 value->median));
  }
  if (const auto* same_line =
          best_variant(all, {"limit-line", "shm"}, parse_metric("rtt_same_line")))
    into.remarks.push_back(
        format("limit-line has a line each way, as a channel has; with the answer in the line of "
               "the request it is {:.0f} ns",
               median(values_of(same_line->second))));
}

// Each layer that failed is named once; it counts as failed or unfit only without any row.
void report_failures(result& into) {
  std::map<measured_layer, std::string> faults;
  for (const launch& one : into.launches)
    if (!one.fault.empty()) faults.try_emplace(one.layer, one.fault);
  std::set<measured_layer> with_rows;
  for (const row& r : into.rows) with_rows.insert(r.layer);
  for (const auto& [layer, fault] : faults) {
    const bool has_rows = with_rows.count(layer) == 1;
    const std::string line = name_of(layer) + ": " + fault;
    if (!into.complete && fault == "stopped") continue;
    if (has_rows)
      into.remarks.push_back(line + " (in one of its launches)");
    else if (is_ours(layer) || is_limit(layer))
      into.failed.push_back(line);
    else
      into.unfit.push_back(line);
  }
}

}  // namespace

void add_remarks(const median_map& all, result& into) {
  report_failures(into);
  remark_beaten_limits(all, into.remarks);
  remark_jumps(all, into.remarks);
  remark_lone_messages(all, into);
}

}  // namespace calib

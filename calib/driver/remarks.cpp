#include <calib/driver/remarks.hpp>

#include <calib/driver/catalogue.hpp>
#include <calib/format.hpp>

#include <set>

namespace calib {
namespace {

constexpr double jump = 1.5;         // of a limit between rounds
constexpr double lone_slower = 1.3;  // a lone message after a flood, in times of rtt

// A limit that something useful beats is no limit.
void blame_limits(const measured& all, std::vector<std::string>& remarks) {
  for (const carrier& limit : carriers())
    for (const carrier& who : carriers())
      for (const subject& about : subjects_of(all)) {
        if (!is_limit(limit) || is_of_one_way(limit) || is_limit(who) ||
            limit.transport != who.transport)
          continue;
        const auto value = times(best(all, who, about), best(all, limit, about));
        if (value && value->interval && value->interval->high < 1)
          remarks.push_back(format("fault of {}: {} needs only {:.2f} of its {}", limit.layer,
                                   name_of(who), value->median, text_of(about)));
      }
}

// Now and then a hypervisor runs both CPUs on one core, or a neighbour slows both. Of the figures
// of a limit that jump in the same round the first is named.
void name_jumps(const measured& all, std::vector<std::string>& remarks) {
  for (const carrier& limit : carriers()) {
    std::map<unsigned, std::pair<std::string, unsigned>> jumps;  // round: the first; how many more
    for (const subject& about : subjects_of(all)) {
      const auto* chosen = is_limit(limit) ? best(all, limit, about) : nullptr;
      if (chosen == nullptr) continue;
      const double usual = median(values_of(chosen->second));
      for (const auto& [round, value] : chosen->second) {
        if (value <= usual * jump && value >= usual / jump) continue;
        const auto [at, first] = jumps.try_emplace(
            round,
            format("{} was {:.1f} ns, usually {:.1f}: the CPUs were {}", text_of(about), value,
                   usual, value < usual ? "nearer than usual" : "disturbed"),
            0);
        if (!first) ++at->second.second;
      }
    }
    for (const auto& [round, said] : jumps)
      remarks.push_back(format(
          "round {}: {}'s {}; kept{}", round, limit.layer, said.first,
          said.second > 0 ? format("; so it was with {} more of its figures", said.second) : ""));
  }
}

void note_lone_messages(const measured& all, result& into) {
  for (const carrier& who : carriers()) {
    const auto value =
        times(best(all, who, subject_of("rtt_after_flood")), best(all, who, subject_of("rtt")));
    if (!value) continue;
    into.lone_after_flood[who.layer] = *value;
    if (value->median > lone_slower)
      into.remarks.push_back(
          format("{}: a lone message right after a flood takes {:.2f} times its rtt", who.layer,
                 value->median));
  }
  if (const auto* same_line = best(all, {"limit-line", "shm"}, subject_of("rtt_same_line")))
    into.remarks.push_back(
        format("limit-line has a line each way, as a channel has; with the answer in the line of "
               "the request it is {:.0f} ns",
               median(values_of(same_line->second))));
}

// Says once what failed; whoever has no row at all counts.
void name_failures(result& into) {
  std::map<carrier, std::string> faults;
  for (const launch& one : into.launches)
    if (!one.fault.empty()) faults.try_emplace(one.who, one.fault);
  std::set<carrier> with_rows;
  for (const row& r : into.rows) with_rows.insert(r.who);
  for (const auto& [who, fault] : faults) {
    const bool has_rows = with_rows.count(who) == 1;
    const std::string line = name_of(who) + ": " + fault;
    if (!into.complete && fault == "stopped") continue;
    if (has_rows)
      into.remarks.push_back(line + " (in one of its launches)");
    else if (is_ours(who) || is_limit(who))
      into.failed.push_back(line);
    else
      into.unfit.push_back(line);
  }
}

}  // namespace

void remark(const measured& all, result& into) {
  name_failures(into);
  blame_limits(all, into.remarks);
  name_jumps(all, into.remarks);
  note_lone_messages(all, into);
}

}  // namespace calib

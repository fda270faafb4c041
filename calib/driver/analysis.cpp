#include <calib/driver/analysis.hpp>

#include <calib/driver/catalogue.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace calib {
namespace {

constexpr double jump = 1.5;         // of a limit between rounds
constexpr double lone_slower = 1.3;  // a lone message after a flood, in times of rtt

const std::vector<std::string> probes = {"rtt", "flood", "rr_flood", "idle_poll"};

// The medians of the launches, by layer, probe, variant and round.
using by_round = std::map<unsigned, double>;
using by_variant = std::map<std::string, by_round>;
using measured = std::map<std::pair<std::string, std::string>, by_variant>;

measured sort_out(const std::vector<launch>& launches) {
  measured out;
  for (const launch& one : launches)
    if (one.round > 0 && one.fault.empty())
      for (const series& s : one.measured)
        out[{one.layer, s.probe}][s.variant][one.round] = s.median;
  return out;
}

std::vector<double> values_of(const by_round& rounds) {
  std::vector<double> out;
  for (const auto& [round, value] : rounds) out.push_back(value);
  return out;
}

// Of the variants that were measured in most rounds the one with the lowest median.
const by_variant::value_type* best(const measured& all, const std::string& layer,
                                   const std::string& probe) {
  const auto found = all.find({layer, probe});
  if (found == all.end()) return nullptr;
  const by_variant::value_type* out = nullptr;
  for (const auto& candidate : found->second) {
    const auto rank = [](const by_variant::value_type& v) {
      return std::pair(-static_cast<double>(v.second.size()), median(values_of(v.second)));
    };
    if (out == nullptr || rank(candidate) < rank(*out)) out = &candidate;
  }
  return out;
}

// Times within the rounds that both have; nothing if there are none.
std::optional<estimate> times(const by_variant::value_type* one,
                              const by_variant::value_type* other) {
  if (one == nullptr || other == nullptr) return std::nullopt;
  std::vector<double> out;
  for (const auto& [round, value] : one->second)
    if (const auto theirs = other->second.find(round); theirs != other->second.end())
      out.push_back(value / theirs->second);
  if (out.empty()) return std::nullopt;
  return estimate_of(std::move(out));
}

// With what of `against` a probe is compared: the limit of an answered flood is limit-ring's flood.
std::string comparable(const std::string& against, const std::string& probe) {
  return probe == "rr_flood" && against == "limit-ring" ? "flood" : probe;
}

unsigned bytes_of(const std::string& probe) { return probe == "idle_poll" ? 0 : 32; }

std::string spread_within(const std::vector<launch>& launches, const row& of) {
  std::vector<double> spreads;
  for (const launch& one : launches)
    for (const series& s : one.measured)
      if (one.round > 0 && one.layer == of.layer && s.probe == of.probe && s.variant == of.variant)
        spreads.push_back(
            spread({s.samples.begin() + static_cast<std::ptrdiff_t>(s.warm_up), s.samples.end()}));
  return fmt::format("quartiles within a launch {:.1f} % apart", 100 * median(spreads));
}

std::vector<row> rows_of(const measured& all, const std::vector<launch>& launches) {
  std::vector<row> out;
  for (const std::string& layer : layers_of_shm())
    for (const std::string& probe : probes)
      if (const auto* chosen = best(all, layer, probe)) {
        row r{layer, probe, chosen->first, bytes_of(probe), estimate_of(values_of(chosen->second)),
              {}};
        r.remark = spread_within(launches, r);
        if (!r.value.interval)
          r.remark += fmt::format("; {} {} too few for an interval", r.value.n,
                                  r.value.n == 1 ? "round is" : "rounds are");
        out.push_back(std::move(r));
      }
  return out;
}

std::vector<ratio> ratios_of(const measured& all) {
  std::vector<ratio> out;
  for (const std::string& layer : layers_of_shm()) {
    if (!is_ours(layer)) continue;
    for (const std::string& against : layers_of_shm())
      for (const std::string& probe : probes) {
        const std::string theirs = comparable(against, probe);
        if (against == layer) continue;
        if (const auto value = times(best(all, layer, probe), best(all, against, theirs)))
          out.push_back({layer, against, probe, theirs, bytes_of(probe), *value});
      }
  }
  return out;
}

// A limit that something useful beats is no limit.
void blame_limits(const measured& all, std::vector<std::string>& remarks) {
  for (const std::string& limit : layers_of_shm())
    for (const std::string& layer : layers_of_shm())
      for (const std::string& probe : probes) {
        if (!is_limit(limit) || is_limit(layer)) continue;
        const auto value = times(best(all, layer, probe), best(all, limit, probe));
        if (value && value->interval && value->interval->high < 1)
          remarks.push_back(fmt::format("fault of {}: {} needs only {:.2f} of its {}", limit, layer,
                                        value->median, probe));
      }
}

// Now and then a hypervisor runs both CPUs on one core, or a neighbour slows both.
void name_jumps(const measured& all, std::vector<std::string>& remarks) {
  for (const std::string& limit : layers_of_shm())
    for (const std::string& probe : probes) {
      const auto* chosen = is_limit(limit) ? best(all, limit, probe) : nullptr;
      if (chosen == nullptr) continue;
      const double usual = median(values_of(chosen->second));
      for (const auto& [round, value] : chosen->second)
        if (value > usual * jump || value < usual / jump)
          remarks.push_back(fmt::format(
              "round {}: {}'s {} was {:.1f} ns, usually {:.1f}: the CPUs were {}; kept", round,
              limit, probe, value, usual, value < usual ? "nearer than usual" : "disturbed"));
    }
}

void note_lone_messages(const measured& all, result& into) {
  const auto value = times(best(all, "am-shm", "rtt_after_flood"), best(all, "am-shm", "rtt"));
  into.conditions.lone_after_flood = value;
  if (value && value->median > lone_slower)
    into.remarks.push_back(fmt::format(
        "am-shm: a lone message right after a flood takes {:.2f} times its rtt", value->median));
  if (const auto* same_line = best(all, "limit-line", "rtt_same_line"))
    into.remarks.push_back(fmt::format(
        "limit-line has a line each way, as a channel has; with the answer in the line of "
        "the request it is {:.0f} ns",
        median(values_of(same_line->second))));
}

// Says once what failed; whoever has no row at all counts.
void name_failures(result& into) {
  std::map<std::string, std::string> faults;
  for (const launch& one : into.launches)
    if (!one.fault.empty()) faults.try_emplace(one.layer, one.fault);
  std::set<std::string> with_rows;
  for (const row& r : into.rows) with_rows.insert(r.layer);
  for (const auto& [layer, fault] : faults) {
    const bool has_rows = with_rows.count(layer) == 1;
    const std::string line = layer + ": " + fault;
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

void analyse(result& into) {
  const measured all = sort_out(into.launches);
  into.rows = rows_of(all, into.launches);
  into.ratios = ratios_of(all);
  for (const launch& one : into.launches) {
    for (const auto& [key, text] : one.notes) into.conditions.notes[one.layer][key] = text;
    for (const auto& [rank, cpu] : one.cpus) into.conditions.pinning[one.layer][rank] = cpu;
  }
  for (const row& r : into.rows) into.conditions.notes[r.layer][r.probe] = r.variant;
  name_failures(into);
  blame_limits(all, into.remarks);
  name_jumps(all, into.remarks);
  note_lone_messages(all, into);
}

bool ratios_reached(const std::vector<launch>& launches) {
  const std::vector<ratio> ratios = ratios_of(sort_out(launches));
  return std::all_of(ratios.begin(), ratios.end(),
                     [](const ratio& r) { return r.value.within(ratio_within); });
}

}  // namespace calib

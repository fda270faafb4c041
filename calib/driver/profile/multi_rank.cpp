#include <calib/driver/profile/multi_rank.hpp>

#include <calib/format.hpp>
#include <calib/logp/multi_rank.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace calib {
namespace {

constexpr unsigned min_ranks = 4;
constexpr unsigned max_ranks = 8;

std::optional<double> median_of(const launch& from, const std::string& probe) {
  const auto found = std::ranges::find(from.measured, probe, &series::probe);
  if (found == from.measured.end()) return std::nullopt;
  return found->median;
}

// The ratios are taken within launches. Nothing: no launch has the values.
std::optional<pattern_check> over(std::span<const launch> launches, const std::string& pattern) {
  std::vector<double> g, rtt, g_times, rtt_times;
  for (const launch& one : launches) {
    const auto here = median_of(one, "validate/" + pattern + "/g");
    const auto here_rtt = median_of(one, "validate/" + pattern + "/rtt");
    const auto alone = median_of(one, "validate/alone/g");
    const auto alone_rtt = median_of(one, "validate/alone/rtt");
    if (!here || !here_rtt || !alone || !alone_rtt) continue;
    g.push_back(*here);
    rtt.push_back(*here_rtt);
    g_times.push_back(*here / *alone);
    rtt_times.push_back(*here_rtt / *alone_rtt);
  }
  if (g.empty()) return std::nullopt;
  return pattern_check{estimate_of(std::move(g)), estimate_of(std::move(rtt)),
                       estimate_of(std::move(g_times)), estimate_of(std::move(rtt_times)), ""};
}

logp::pattern_ratios ratios_of(const pattern_check& from) {
  return {from.g_times.median, from.rtt_times.median};
}

}  // namespace

unsigned multi_rank_size(std::size_t cpus) {
  const auto even = static_cast<unsigned>(std::min<std::size_t>(cpus, max_ranks)) / 2 * 2;
  return even < min_ranks ? 0 : even;
}

bool is_multi_rank(const launch& one) {
  return std::ranges::any_of(one.measured,
                             [](const series& s) { return s.probe.starts_with("validate/"); });
}

multi_rank_checks multi_rank_checks_of(std::span<const launch> launches, std::size_t cpus) {
  multi_rank_checks out;
  if (launches.empty()) {
    out.why_not = multi_rank_size(cpus) == 0 ? format("needs {} cores, has {}", min_ranks, cpus)
                                             : "was not reported";
    return out;
  }
  out.why_not = "was not reported";
  const auto& notes = launches.front().notes;
  if (const auto ranks = notes.find("ranks"); ranks != notes.end())
    out.ranks = static_cast<unsigned>(std::strtoul(ranks->second.c_str(), nullptr, 10));
  if (out.ranks < min_ranks) return out;
  out.pairs = over(launches, "pairs");
  out.one_to_many = over(launches, "one_to_many");
  out.many_to_one = over(launches, "many_to_one");
  if (out.pairs) out.pairs->verdict = logp::verdict_on_pairs(ratios_of(*out.pairs));
  if (out.one_to_many)
    out.one_to_many->verdict = logp::verdict_on_one_to_many(ratios_of(*out.one_to_many));
  if (out.many_to_one)
    out.many_to_one->verdict =
        logp::verdict_on_many_to_one(ratios_of(*out.many_to_one), out.ranks - 1);
  if (out.pairs && out.one_to_many && out.many_to_one) out.why_not.clear();
  return out;
}

}  // namespace calib

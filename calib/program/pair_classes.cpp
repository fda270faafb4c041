#include <calib/program/pair_classes.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

namespace calib {
namespace {

std::string_view class_of(const rank_location& one, const rank_location& other) {
  if (one.host != other.host) return "other-host";
  return !one.cache.empty() && one.cache == other.cache ? "same-cache" : "same-host";
}

// Of a list as the kernel and hwloc print it. A range without an end, 8-, ends with its first CPU.
std::set<unsigned> numbers_in(std::string_view list) {
  std::set<unsigned> out;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    unsigned first = 0;
    at = std::from_chars(at, end, first).ptr;
    unsigned last = first;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    for (unsigned cpu = first; cpu <= last; ++cpu) out.insert(cpu);
    while (at < end && *at != ',') ++at;
    if (at < end) ++at;
  }
  return out;
}

}  // namespace

bool may_share_cpu(const rank_location& one, const rank_location& other) {
  if (one.kernel != other.kernel) return false;
  const std::set<unsigned> theirs = numbers_in(other.cpus);
  return std::ranges::any_of(numbers_in(one.cpus),
                             [&](unsigned cpu) { return theirs.contains(cpu); });
}

std::vector<chosen_pair> choose_pairs(std::span<const rank_location> ranks) {
  std::vector<chosen_pair> out;
  for (const char* name : {"same-cache", "same-host", "other-host"}) {
    std::uint32_t chosen = 0;
    for (std::uint32_t peer = 1; peer < ranks.size(); ++peer) {
      if (class_of(ranks[0], ranks[peer]) != name) continue;
      const bool apart = !may_share_cpu(ranks[0], ranks[peer]);
      if (apart || chosen == 0) chosen = peer;
      if (apart) break;
    }
    if (chosen != 0) out.push_back({name, chosen});
  }
  return out;
}

}  // namespace calib

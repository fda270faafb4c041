// LogP among several ranks (program/multi_rank_probe.hpp): what their launches show, and how many
// ranks take part.
#pragma once

#include <calib/driver/launch/launch.hpp>
#include <calib/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace calib {

// The parameters of rank 0, a requester, while the other ranks follow a pattern.
struct pattern_check {
  estimate g, rtt;              // ns
  estimate g_times, rtt_times;  // ratios to g and rtt of rank 0 alone
  std::string verdict;          // in words
};

struct multi_rank_checks {
  unsigned ranks = 0;
  std::optional<pattern_check> pairs, one_to_many, many_to_one;
  std::string why_not;  // why a check is missing
};

// An even number of ranks, at most one for each CPU; more than 8 would show nothing new. 0: there
// are too few CPUs.
unsigned multi_rank_size(std::size_t cpus);

// Such a launch has these values and no others.
bool is_multi_rank(const launch& one);

// From the launches of one layer. `cpus`: the number that this process may use.
multi_rank_checks multi_rank_checks_of(std::span<const launch> launches, std::size_t cpus);

}  // namespace calib

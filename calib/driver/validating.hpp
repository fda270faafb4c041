// What launches of several processes say of LogP (program/validation.hpp), and how many processes
// there are in one.
#pragma once

#include <calib/driver/launch.hpp>
#include <calib/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace calib {

// What a pattern does to one that asks.
struct pattern_check {
  estimate g, rtt;              // ns
  estimate g_times, rtt_times;  // of what they are alone
  std::string verdict;
};

struct validation_checks {
  unsigned ranks = 0;
  std::optional<pattern_check> pairs, one_to_many, many_to_one;
  std::string why_not;  // some of it is missing
};

// As many as this process has CPUs, in pairs, and not more than tell something. 0: they would have
// to share CPUs, and too few are left.
unsigned crew_on(std::size_t cpus);

// A launch of several processes: it tells what validates LogP, and nothing else.
bool validates(const launch& one);

// Of one layer. `cpus`: so many may be used here.
validation_checks checks_of(std::span<const launch> launches, std::size_t cpus);

}  // namespace calib

// The job that this command is itself a part of, when a launcher has started several of it.
#pragma once

#include <calib/driver/launch.hpp>

#include <optional>
#include <vector>

namespace calib {

struct own_job {
  unsigned rank;
  unsigned ranks;  // at least 2
};
std::optional<own_job> find_own_job();

// How its pairs are measured: the same at every rank, each of which starts its part of the program.
way way_of_job();

// A launch over several pairs is one for each: transport same-cache, same-host, other-host.
std::vector<launch> by_pair(const launch& whole);

// The carriers that these have, nearest first.
std::vector<carrier> pair_carriers();

}  // namespace calib

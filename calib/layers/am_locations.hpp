// The locations of the ranks of a job, from hwloc.
#pragma once

#include <am/am.hpp>
#include <calib/program/pair_classes.hpp>

#include <vector>

namespace calib {

// Collective.
std::vector<rank_location> gather_locations(am::endpoint& ep);

// Both are on one host and may use a common CPU.
bool may_share_cpu(const rank_location& one, const rank_location& other);

}  // namespace calib

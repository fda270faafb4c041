// The locations of the ranks of a job: the host from libam, the rest from hwloc.
#pragma once

#include <am/am.hpp>
#include <calib/program/pair_classes.hpp>

#include <string>
#include <vector>

namespace calib {

// Collective.
std::vector<rank_location> gather_locations(am::endpoint& ep);

// Why figures of ranks 0 and `peer` are not fit, if they may run on one CPU; else empty.
std::string shared_cpu(const std::vector<rank_location>& ranks, am::rank_id peer);

}  // namespace calib

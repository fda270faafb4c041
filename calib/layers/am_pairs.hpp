// Where the ranks of a job run, as hwloc sees it.
#pragma once

#include <am/am.hpp>
#include <calib/program/pair_classes.hpp>

#include <vector>

namespace calib {

// Collective: every rank says where it is.
std::vector<whereabouts> places_of(am::endpoint& ep);

// On one host, and there is a CPU that both may use.
bool may_share_a_cpu(const whereabouts& one, const whereabouts& other);

}  // namespace calib

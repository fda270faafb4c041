// The job that this process is part of, if a launcher has started several of am-calibrate.
#pragma once

#include <calib/driver/launch/launch.hpp>

#include <optional>
#include <vector>

namespace calib {

// The rank of this process in it. Nothing: there is no such job, or no other process in it.
std::optional<unsigned> find_own_rank();

// Measures the pairs of the job. Every rank starts the same launches, each its part of the program.
launch_spec own_job_spec();

// Splits a launch over several pairs: one launch for each, over the transport same-cache, same-host
// or other-host.
std::vector<launch> split_by_pair(const launch& whole);

// The layers of these launches, the nearest pair first.
std::vector<measured_layer> pair_layers();

}  // namespace calib

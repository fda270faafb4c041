// The job that this process is part of, if a launcher has started several of am-calibrate.
#pragma once

#include <calib/driver/launch/catalogue.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

// The rank of this process in it. Nothing: there is no such job, or no other process in it.
std::optional<unsigned> find_own_rank();

// What measures the job. Every rank starts the same launches, each its part of the program.
//
// For `run`: libam over a pair of each class, over the transports of this list (empty: those that
// libam chooses); and plain sockets over the pair on two hosts.
std::vector<launch_spec> own_job_specs(const std::string& transport_list);
// For `peers`: libam over tcp and plain sockets, between the two ranks of a job on two hosts.
// `layers`: these alone; none: all of them.
catalogue find_job_layers(const std::vector<std::string>& transport_names,
                          const std::vector<std::string>& layers);

// Splits a launch of libam over several pairs: one launch for each, over the transport same-cache,
// same-host or other-host. Other launches stay whole.
std::vector<launch> split_by_pair(const launch& whole);

// The layers of these launches, the nearest pair first.
std::vector<measured_layer> pair_layers();

}  // namespace calib

// The two processes of a layer over sockets: this one and a child, connected over the loopback
// interface, or two ranks of the job that this process is in, on different hosts.
#pragma once

#include <calib/layers/loopback.hpp>
#include <calib/program/options.hpp>
#include <calib/program/probe_runner.hpp>

#include <functional>
#include <span>
#include <vector>

namespace calib {

// At both ends of as many connections as there are `buffers` (of connect_loopback); `ends` are
// those of this process.
using run_at_end = std::function<void(side mine, std::span<const int> ends)>;

// Returns when both have ended, and in a job when all ranks have come so far. Nothing is run in a
// job without a pair on different hosts, or whose hosts do not connect.
void run_connected(int argc, char** argv, const options& opts, const std::vector<int>& buffers,
                   const run_at_end& run);

}  // namespace calib

// Two pinned processes with shared memory, for layers that need no launcher.
#pragma once

#include <calib/program/probe_runner.hpp>

#include <cstddef>
#include <functional>

namespace calib {

// Calls `run` in this process (requester) and in a child (responder), both pinned, with `bytes` of
// zeroed shared memory; `prepare` may initialise it before the fork. Returns when both have ended;
// the death of one process ends the other.
void run_pair(std::size_t bytes, const std::function<void(side, std::byte* memory)>& run,
              const std::function<void(std::byte* memory)>& prepare = {});

}  // namespace calib

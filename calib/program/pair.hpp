// Two processes on two CPUs with some memory in common, for layers that need no more.
#pragma once

#include <calib/program/script.hpp>

#include <cstddef>
#include <functional>

namespace calib {

// Runs `play` in this process (asking) and in a child (answering), both pinned, over `bytes` of
// shared memory, zero at first; `prepare` may build something in it before the two part. Returns
// when both have ended; the death of one ends the other.
void as_pair(std::size_t bytes, const std::function<void(side, std::byte* memory)>& play,
             const std::function<void(std::byte* memory)>& prepare = {});

}  // namespace calib

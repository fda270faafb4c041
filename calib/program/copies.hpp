// Ways to copy memory, for the limits: what this machine can do with memory at all. A layer tries
// each, and the best at each size counts.
#pragma once

#include <cstddef>
#include <vector>

namespace calib {

// `to` and `from` are aligned to 64 bytes, `bytes` is a multiple of 256. What it has written may
// be published by a plain release store afterwards.
using copy_routine = void(void* to, const void* from, std::size_t bytes);

struct copy_way {
  const char* name;
  copy_routine* run;
};

// Those that this processor has.
std::vector<copy_way> ways_to_copy();

}  // namespace calib

// Methods to copy memory, for the limits of this machine. A layer tries each method, and the best
// one at each size counts.
#pragma once

#include <cstddef>
#include <vector>

namespace calib {

// `to` and `from` are aligned to 64 bytes, `bytes` is a multiple of 256. A release store afterwards
// publishes the copied bytes.
using copy_routine = void(void* to, const void* from, std::size_t bytes);

struct copy_method {
  const char* name;
  copy_routine* run;
};

// The methods that this processor supports.
std::vector<copy_method> copy_methods();

}  // namespace calib

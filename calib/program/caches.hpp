// Takes memory out of the caches of all processors, so that its next use comes from main memory.
#pragma once

#include <cstddef>

namespace calib {

#if defined(__SSE2__)
inline constexpr bool can_evict = true;
#else
inline constexpr bool can_evict = false;
#endif

// Does nothing where a program has no such instruction.
void evict(const std::byte* at, std::size_t bytes) noexcept;

}  // namespace calib

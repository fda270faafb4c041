// Copies bulk data between two ranks' memory, by size.
#pragma once

#include <cstddef>

namespace am::detail::shm {

// From this size on the target is written past the caches: copy.cpp has the measurements.
inline constexpr std::size_t past_caches_from = 8388608;  // 8 MiB

// A release store afterwards publishes the bytes. Source and target do not overlap.
void copy(void* to, const void* from, std::size_t bytes) noexcept;

// The same past the caches where the processor can, for any size and alignment.
void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace am::detail::shm

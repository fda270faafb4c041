// Copies bulk data between two ranks' memory, by size.
#pragma once

#include <cstddef>

namespace am::detail::shm {

// From this size on the target's bytes are written past the caches: copy.cpp has the figures.
inline constexpr std::size_t past_caches_from = 8388608;  // 8 MiB

// Afterwards a release store publishes the bytes, however they were written. They do not overlap.
void copy(void* to, const void* from, std::size_t bytes) noexcept;

// The same past the caches, for any size and any place, where the processor can.
void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace am::detail::shm

// Copies bulk data between two ranks' memory.
#pragma once

#include <cstddef>

namespace am::detail::shm {

// Afterwards a release store publishes the bytes, however they were written.
void copy(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace am::detail::shm

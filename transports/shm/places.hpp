// An object at its place in the job's memory. Fresh pages are zero, which is a good initial state
// for everything that stands there.
#pragma once

#include <libam/base/shared_memory.hpp>

namespace am::detail::shm {

template <class Object>
Object& object_at(const base::shared_memory& memory, std::size_t offset) noexcept {
  return *reinterpret_cast<Object*>(memory.data() + offset);
}

}  // namespace am::detail::shm

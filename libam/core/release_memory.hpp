// Frees the memory of containers: clear(), and the assignment of {}, keep it.
#pragma once

#include <utility>

namespace am::detail::core {

template <class... Containers>
void free_containers(Containers&... all) noexcept {
  (std::exchange(all, {}), ...);
}

}  // namespace am::detail::core

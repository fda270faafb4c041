// Gives the memory of containers back: clear(), and the assignment of {}, keep their room.
#pragma once

#include <utility>

namespace am::detail::core {

template <class... Containers>
void give_back_room(Containers&... all) noexcept {
  (std::exchange(all, {}), ...);
}

}  // namespace am::detail::core

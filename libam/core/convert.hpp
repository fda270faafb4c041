// am_ep is the endpoint under another name: the C interface keeps it opaque.
#pragma once

#include <libam/core/endpoint.hpp>

namespace am::detail::core {

inline endpoint& of(am_ep* ep) noexcept { return *reinterpret_cast<endpoint*>(ep); }
inline const endpoint& of(const am_ep* ep) noexcept {
  return *reinterpret_cast<const endpoint*>(ep);
}
inline am_ep* face_of(endpoint* ep) noexcept { return reinterpret_cast<am_ep*>(ep); }

}  // namespace am::detail::core

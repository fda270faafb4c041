// am_ep is the endpoint, which the C interface keeps opaque.
#pragma once

#include <libam/core/endpoint.hpp>

namespace am::detail::core {

inline endpoint& endpoint_of(am_ep* ep) noexcept { return *reinterpret_cast<endpoint*>(ep); }
inline const endpoint& endpoint_of(const am_ep* ep) noexcept {
  return *reinterpret_cast<const endpoint*>(ep);
}
inline am_ep* handle_of(endpoint* ep) noexcept { return reinterpret_cast<am_ep*>(ep); }

}  // namespace am::detail::core

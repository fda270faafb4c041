// What every C call does around the function of core: a null endpoint is usage(left), and no
// exception, such as std::bad_alloc, crosses the ABI.
#pragma once

#include <libam/base/error.hpp>
#include <libam/core/endpoint_handle.hpp>

#include <new>

namespace am::detail::face {

inline am_status no_endpoint() noexcept {
  return base::fail_with(AM_USAGE_LEFT, "there is no endpoint (null): it has left its job");
}

// Refuses a null argument; `what` says what it has to point to: "an am_seg*".
[[gnu::cold]] am_status null_argument(const char* call, const char* name,
                                      const char* what) noexcept;

// May the caller's structure be filled? Later versions make such structures larger.
am_status check_structure(const char* call, const char* name, const void* to, std::size_t bytes,
                          std::size_t own_bytes) noexcept;

template <class Call>
am_status guarded(Call&& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return base::fail_with(AM_RESOURCE_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return base::fail_with(AM_ENDPOINT_CORRUPT, e.what());
  }
}

// Calls call(endpoint), unless `ep` is null.
template <class Call>
am_status guarded_at(am_ep* ep, Call&& call) noexcept {
  if (ep == nullptr) return no_endpoint();
  return guarded([&] { return call(core::endpoint_of(ep)); });
}

}  // namespace am::detail::face

// Why a request came back, as the other rank tells it.
#pragma once

#include <am/types.h>

#include <cstdint>

namespace am::detail::seam {

// Only what libam gives back for; anything else is no status, and must not be taken for one.
inline constexpr am_status told_reason(std::uint64_t told) noexcept {
  switch (told) {
    case AM_ARGUMENT_HANDLER: return AM_ARGUMENT_HANDLER;
    case AM_ARGUMENT_ADDRESS: return AM_ARGUMENT_ADDRESS;
    default: return AM_ENDPOINT_CORRUPT;
  }
}

}  // namespace am::detail::seam

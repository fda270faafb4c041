// Why a request was returned, as the other rank reports it.
#pragma once

#include <am/types.h>

#include <cstdint>

namespace am::detail::seam {

// Only a reason for which libam returns requests; any other number may be no status at all.
inline constexpr am_status checked_reason(std::uint64_t raw) noexcept {
  switch (raw) {
    case AM_ARGUMENT_HANDLER: return AM_ARGUMENT_HANDLER;
    case AM_ARGUMENT_ADDRESS: return AM_ARGUMENT_ADDRESS;
    default: return AM_ENDPOINT_CORRUPT;
  }
}

}  // namespace am::detail::seam

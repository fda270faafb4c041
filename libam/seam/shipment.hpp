// Bulk data on its way in a stream: straight from memory here into memory there, without a copy in
// between, for transports that cannot reach the peer's memory by themselves.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <cstdint>

namespace am::detail::seam {

// Bytes, and the notice that tells of them there. Who ships it keeps it, and the bytes too, as long
// as it is going.
struct shipment {
  enum class stage {
    going,
    gone,       // also if the peer is lost: then the notice is one of its unanswered requests
    unreadable  // not all of the bytes are mapped here: there is no notice, and its credit is back
  };

  void* where;
  const void* data;
  std::size_t bytes;  // not 0
  std::uint32_t handler;
  am_word words[AM_WORDS];
  stage at = stage::going;
};

}  // namespace am::detail::seam

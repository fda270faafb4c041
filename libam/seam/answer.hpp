// Answers with data. A request for one takes room for it when it is sent, so that the reply never
// waits; every answer to such a request returns the room, and there is always one: where the
// handler ends without an answer, libam answers in its place (inbox.hpp).
#pragma once

#include <am/types.h>

#include <cstddef>
#include <cstdint>

namespace am::detail::seam {

// The room that a request has taken: its place in the room of the pair, in the direction of
// answers, and how many bytes of the program's an answer may have. libam itself may put
// wire::most_header_bytes in front of them.
struct answer_place {
  std::uint32_t offset;
  std::uint32_t bytes;
};

// An answer to a request with room.
struct answer {
  enum class form : std::uint8_t {
    words,     // nothing but words
    payload,   // `bytes` at `data`, which the transport copies
    placed,    // `bytes` are in the requester's memory, or so the target claims: not checked
    returned,  // the request is returned, with `reason`
  };
  form what;
  std::uint32_t handler;
  const am_word* words;
  const void* data = nullptr;
  std::size_t bytes = 0;
  am_status reason = AM_OK;
};

}  // namespace am::detail::seam

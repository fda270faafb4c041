// The headers in front of payloads of libam's own messages.
#pragma once

#include <libam/wire/payload_room.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::core {

// Of the last message of a store that goes in messages.
struct store_header {
  std::uint64_t where;
  std::uint64_t bytes;
  std::uint64_t handler;
};
static_assert(sizeof(store_header) <= wire::most_header_bytes);

// Of an answer that brings bytes for an address of the requester.
struct stored_answer_header {
  std::uint64_t where;
  std::uint64_t handler;
};
static_assert(sizeof(stored_answer_header) <= wire::most_header_bytes);

}  // namespace am::detail::core

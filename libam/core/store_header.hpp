// What stands in front of the bytes of a store that goes in messages: of its last ones.
#pragma once

#include <libam/wire/payload_room.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::core {

struct store_header {
  std::uint64_t where;
  std::uint64_t bytes;
  std::uint64_t handler;
};
static_assert(sizeof(store_header) <= wire::most_header_bytes);

// And in front of those of an answer that goes so.
struct stored_answer_header {
  std::uint64_t where;
  std::uint64_t handler;
};
static_assert(sizeof(stored_answer_header) <= wire::most_header_bytes);

}  // namespace am::detail::core

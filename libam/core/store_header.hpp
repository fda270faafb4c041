// What stands in front of the last bytes of a store that goes in messages.
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

}  // namespace am::detail::core

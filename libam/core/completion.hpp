// What runs here when a call has ended.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <cstdint>

namespace am::detail::core {

// A handler of the caller's that runs here, from the next poll on, with a reply handler's rights.
struct completion {
  am_rank peer;
  std::uint32_t handler;
  am_word words[AM_WORDS];
  void* data;
  std::size_t bytes;
  am_status reason;      // not AM_OK: the call comes back to whoever takes what is undeliverable
  bool unknown = false;  // then: nobody can tell whether it ran
};
// Stands for a handler: tell the program that `peer` has died.
inline constexpr std::uint32_t peer_failed = ~std::uint32_t{0};

}  // namespace am::detail::core

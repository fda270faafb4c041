#include <libam/wire/frame.hpp>

#define XXH_INLINE_ALL  // NOLINT(readability-identifier-naming): the name is xxHash's
#include <xxhash.h>

#if XXH_VERSION_NUMBER < 800
#error "XXH3 gives the same numbers from xxHash 0.8.0 on"
#endif

namespace am::detail::wire {

// XXH3 reads little-endian, so it gives the same number on every processor.
std::uint32_t frame_check(std::span<const std::byte> frame) noexcept {
  return static_cast<std::uint32_t>(XXH3_64bits(frame.data() + 4, frame.size() - 4));
}

}  // namespace am::detail::wire

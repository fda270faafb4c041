// The check that a frame carries over all of itself. It finds bytes that went wrong by chance; it
// is no proof of who wrote them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace am::detail::wire {

// Over a frame whose first 4 bytes, where the check stands, are left out.
std::uint32_t frame_check(std::span<const std::byte> frame) noexcept;

}  // namespace am::detail::wire

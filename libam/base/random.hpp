// Randomness of the kernel's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace am::detail::base {

// A number that nobody can guess, or that at least is another one each time.
std::uint64_t random_word() noexcept;

// At most 256 bytes that nobody can guess; early in a machine's life it waits for them. False with
// errno: there are none.
bool fill_with_secret(std::span<std::byte> room) noexcept;

}  // namespace am::detail::base

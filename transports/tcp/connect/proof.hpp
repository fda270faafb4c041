// Two ranks prove to each other that they know the job's secret, without revealing it to an
// eavesdropper: each sends a number that was never used before, and a keyed hash over both.
// docs/wire-format.md draws the bytes.
#pragma once

#include <libam/seam/boot.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace am::detail::tcp {

using nonce = std::array<std::byte, 32>;
using proof = std::array<std::byte, 32>;

// The connector's first message.
struct hello {
  am_rank from;
  am_rank to;
  nonce number;
};
inline constexpr std::size_t hello_bytes = 8 + 4 + 4 + sizeof(nonce);

std::array<std::byte, hello_bytes> encode(const hello& one) noexcept;
// Nothing if the peer is no libam, or one with another version of the proof.
std::optional<hello> decode(std::span<const std::byte, hello_bytes> bytes) noexcept;

enum class side : std::uint8_t { connector = 1, listener };

// False: libsodium cannot work here. Call it before the others.
bool init_sodium() noexcept;
nonce fresh_nonce() noexcept;

// The proof of `who` in the handshake that began with `first`. The sides differ, so no end can
// return the proof that it has received.
proof prove(const seam::job_secret& secret, side who, const hello& first,
            const nonce& answer) noexcept;
// In a time that does not depend on where they differ.
bool equal_constant_time(const proof& one, const proof& other) noexcept;

}  // namespace am::detail::tcp

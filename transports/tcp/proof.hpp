// How two ranks prove to each other that they know the job's secret, without telling it to anyone
// who listens: each hands the other a number that was never used before, and answers with a keyed
// hash over both. docs/wire-format.md draws the bytes.
#pragma once

#include <libam/seam/boot.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace am::detail::tcp {

using nonce = std::array<std::byte, 32>;
using proof = std::array<std::byte, 32>;

// What the one that connects says first.
struct hello {
  am_rank from;
  am_rank to;
  nonce number;
};
inline constexpr std::size_t hello_bytes = 8 + 4 + 4 + sizeof(nonce);

std::array<std::byte, hello_bytes> encode(const hello& one) noexcept;
// Nothing if this is no libam, or one that proves in another way.
std::optional<hello> decode(std::span<const std::byte, hello_bytes> bytes) noexcept;

enum class side : std::uint8_t { connector = 1, listener };

// False: libsodium cannot work here. Call it before the others.
bool prepare_proofs() noexcept;
nonce fresh_nonce() noexcept;

// What `who` has to show in the conversation that began with `first`. The sides differ, so nobody
// can hand back what he was shown.
proof prove(const seam::job_secret& secret, side who, const hello& first,
            const nonce& answer) noexcept;
// In a time that does not tell where they differ.
bool same(const proof& one, const proof& other) noexcept;

}  // namespace am::detail::tcp

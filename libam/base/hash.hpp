// FNV-1a of 64 bits: for telling things apart that nobody has chosen to look alike.
#pragma once

#include <cstdint>
#include <string_view>

namespace am::detail::base {

inline constexpr std::uint64_t empty_hash = 14695981039346656037ULL;

// The hash of what `before` is the hash of, followed by `bytes`.
constexpr std::uint64_t hash_of(std::string_view bytes,
                                std::uint64_t before = empty_hash) noexcept {
  for (const char c : bytes) before = (before ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return before;
}

}  // namespace am::detail::base

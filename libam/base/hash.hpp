// FNV-1a of 64 bits: tells things apart, unless they are made to collide on purpose.
#pragma once

#include <cstdint>
#include <string_view>

namespace am::detail::base {

inline constexpr std::uint64_t empty_hash = 14695981039346656037ULL;

// The hash of `bytes` behind those whose hash is `before`.
constexpr std::uint64_t hash_of(std::string_view bytes,
                                std::uint64_t before = empty_hash) noexcept {
  for (const char c : bytes) before = (before ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return before;
}

}  // namespace am::detail::base

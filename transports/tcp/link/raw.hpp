// Bytes in the type that libsodium takes.
#pragma once

#include <cstddef>

namespace am::detail::tcp {

inline unsigned char* raw(std::byte* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}
inline const unsigned char* raw(const std::byte* bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes);
}

}  // namespace am::detail::tcp

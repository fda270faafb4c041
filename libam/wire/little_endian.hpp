// Numbers as they are in a frame: the low byte first, on every processor.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace am::detail::wire {

template <std::unsigned_integral Number>
constexpr Number little_endian(Number number) noexcept {
  static_assert(sizeof number <= 8);
  if constexpr (std::endian::native == std::endian::little || sizeof number == 1)
    return number;
  else if constexpr (sizeof number == 2)
    return __builtin_bswap16(number);
  else if constexpr (sizeof number == 4)
    return __builtin_bswap32(number);
  else
    return __builtin_bswap64(number);
}

template <std::unsigned_integral Number>
void write_number(std::byte* to, Number number) noexcept {
  number = little_endian(number);
  std::memcpy(to, &number, sizeof number);
}

template <std::unsigned_integral Number>
Number read_number(const std::byte* from) noexcept {
  Number number;
  std::memcpy(&number, from, sizeof number);
  return little_endian(number);
}

}  // namespace am::detail::wire

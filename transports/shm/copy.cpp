#include <transports/shm/copy.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace am::detail::shm {

// Which copy is faster depends on whether the data is read there, so no profile of the machine
// chooses (docs/calibration.md). Measured on two cores of an AMD EPYC
// (family 25, model 17, 32 MiB of last cache) under KVM, memcpy and the copy past the caches in
// turns. GB/s; the upper quartile, because other processes used the cores too. After each piece the
// other rank reads nothing, or all of it.
//
//   pieces of         the same memory again            through 64 MiB or four pieces
//                     nothing read   all read          nothing read   all read
//   1 MiB              41   28         2   15           14   21         9   12
//   4 MiB              35   28         2   15           13   20         9   12
//   8 MiB              25   28         1   12           14   20         9   12
//   16 MiB             11   21         2   12           13   20         9   11
//   64 MiB              6    9         3    8            6   18         4    6
//
// Below 8 MiB memcpy may leave source and target in a cache. From 8 MiB on, stores past the caches
// were never slower.
void copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes < past_caches_from)
    std::memcpy(to, from, bytes);
  else
    copy_past_caches(to, from, bytes);
}

#if defined(__SSE2__)

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  constexpr std::size_t step = 2 * line;
  constexpr std::size_t parts = step / sizeof(__m128i);
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);

  // Only whole cache lines leave the processor in one transfer.
  const std::size_t before_line = -reinterpret_cast<std::uintptr_t>(out) % line;
  const std::size_t head = before_line < bytes ? before_line : bytes;
  std::memcpy(out, in, head);
  out += head;
  in += head;
  bytes -= head;

  for (; bytes >= step; bytes -= step, out += step, in += step) {
    __m128i part[parts];
    for (std::size_t i = 0; i < parts; ++i)
      part[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in) + i);
    for (std::size_t i = 0; i < parts; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i*>(out) + i, part[i]);
  }
  std::memcpy(out, in, bytes);
  // A release store does not order these stores.
  _mm_sfence();
}

#else

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

#endif

}  // namespace am::detail::shm

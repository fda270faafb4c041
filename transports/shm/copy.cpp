#include <transports/shm/copy.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace am::detail::shm {

// Which way is faster, until a profile of the machine exists: two cores of an AMD EPYC (family 25,
// model 17, 32 MiB of last cache) under KVM. Pieces by memcpy and past the caches by turns; GB/s,
// of which the upper quartile is told, because others used the cores too. The other rank then reads
// nothing, or all of the piece.
//
//   pieces of         the same memory again            through 64 MiB or four pieces
//                     nothing read   all read          nothing read   all read
//   1 MiB              41   28         2   15           14   21         9   12
//   4 MiB              35   28         2   15           13   20         9   12
//   8 MiB              25   28         1   12           14   20         9   12
//   16 MiB             11   21         2   12           13   20         9   11
//   64 MiB              6    9         3    8            6   18         4    6
//
// Below 8 MiB both ends may stay in a cache, and memcpy lets them. From there on stores past the
// caches were never slower.
void copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes < past_caches_from)
    std::memcpy(to, from, bytes);
  else
    copy_past_caches(to, from, bytes);
}

#if defined(__SSE2__)

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t line = 64;
  constexpr std::size_t turn = 2 * line;
  constexpr std::size_t parts = turn / sizeof(__m128i);
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);

  // Only whole lines leave the processor in one piece.
  const std::size_t before_line = -reinterpret_cast<std::uintptr_t>(out) % line;
  const std::size_t head = before_line < bytes ? before_line : bytes;
  std::memcpy(out, in, head);
  out += head;
  in += head;
  bytes -= head;

  for (; bytes >= turn; bytes -= turn, out += turn, in += turn) {
    __m128i part[parts];
    for (std::size_t i = 0; i < parts; ++i)
      part[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in) + i);
    for (std::size_t i = 0; i < parts; ++i)
      _mm_stream_si128(reinterpret_cast<__m128i*>(out) + i, part[i]);
  }
  std::memcpy(out, in, bytes);
  // Such stores obey no release store that follows them.
  _mm_sfence();
}

#else

void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

#endif

}  // namespace am::detail::shm

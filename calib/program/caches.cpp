#include <calib/program/caches.hpp>

#include <calib/program/bulk.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace calib {

#if defined(__SSE2__)

void evict(const std::byte* at, std::size_t bytes) noexcept {
  for (std::size_t from = 0; from < bytes; from += line_bytes) _mm_clflush(at + from);
  _mm_mfence();
}

#else

void evict(const std::byte*, std::size_t) noexcept {}

#endif

}  // namespace calib

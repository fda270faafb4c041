#include <calib/program/copy_methods.hpp>

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace calib {
namespace {

void by_memcpy(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

#if defined(__x86_64__)

void by_movsb(void* to, const void* from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

__attribute__((target("avx2"))) void by_avx2(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<__m256i*>(to);
  const auto* in = static_cast<const __m256i*>(from);
  for (const auto* end = in + bytes / sizeof *in; in != end; in += 4, out += 4) {
    const __m256i part[4] = {in[0], in[1], in[2], in[3]};
    for (int i = 0; i < 4; ++i) _mm256_store_si256(out + i, part[i]);
  }
}

__attribute__((target("avx512f"))) void by_avx512(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<__m512i*>(to);
  const auto* in = static_cast<const __m512i*>(from);
  for (const auto* end = in + bytes / sizeof *in; in != end; in += 4, out += 4) {
    const __m512i part[4] = {in[0], in[1], in[2], in[3]};
    for (int i = 0; i < 4; ++i) _mm512_store_si512(out + i, part[i]);
  }
}

// Bypasses the caches. The fence orders these stores before a later release store.
__attribute__((target("avx2"))) void by_avx2_stream(void* to, const void* from, std::size_t bytes) {
  auto* out = static_cast<__m256i*>(to);
  const auto* in = static_cast<const __m256i*>(from);
  for (const auto* end = in + bytes / sizeof *in; in != end; in += 4, out += 4) {
    const __m256i part[4] = {in[0], in[1], in[2], in[3]};
    for (int i = 0; i < 4; ++i) _mm256_stream_si256(out + i, part[i]);
  }
  _mm_sfence();
}

#endif

}  // namespace

std::vector<copy_method> copy_methods() {
  std::vector<copy_method> out = {{"memcpy", by_memcpy}};
#if defined(__x86_64__)
  out.push_back({"movsb", by_movsb});
  if (__builtin_cpu_supports("avx2") != 0) {
    out.push_back({"avx2", by_avx2});
    out.push_back({"avx2-stream", by_avx2_stream});
  }
  if (__builtin_cpu_supports("avx512f") != 0) out.push_back({"avx512", by_avx512});
#endif
  return out;
}

}  // namespace calib

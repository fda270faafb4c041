// What a tight loop may say to the processor.
#pragma once

namespace calib {

inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Asks for a cache line with the right to write it. Written out, because for a plain x86-64 the
// compilers make a prefetch for reading of __builtin_prefetch(at, 1), and that costs a flood three
// times its time.
inline void prefetch_for_write(const void* at) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

}  // namespace calib

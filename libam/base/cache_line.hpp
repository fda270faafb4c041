// The unit in which cores exchange memory, and hints to the processor and the compiler about it.
#pragma once

#include <cstddef>

namespace am::detail::base {

inline constexpr std::size_t cache_line_bytes = 64;
// Prefetchers fetch lines in pairs: data that two cores write separately is a pair apart.
inline constexpr std::size_t cache_line_pair_bytes = 128;

// Fetches the line with the right to write it, so that the store that follows need not wait.
// Compilers turn __builtin_prefetch(…, 1) into a prefetch for reading unless they compile for a
// certain processor; the instruction itself is harmless on any x86-64.
inline void prefetch_for_write(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

// True where a line that another core has read is slow to write again: AMD's processors keep it in
// the writer's cache as owned, and let one store at a time take the right to write back from the
// reader, whatever was prefetched (17 to 90 ns a line, measured on Zen 4). A reader that writes to
// the line takes ownership, and then the next writer can fetch many ahead (2 ns a line).
inline const bool rewriting_shared_lines_is_slow = [] {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}();

// In a loop that spins on a line: pauses for a moment, so that the line's writer gets it.
inline void cpu_relax() {
#if defined(__x86_64__)
  asm volatile("pause");
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Keeps the compiler from moving memory accesses across; costs no instruction.
inline void compiler_barrier() { asm volatile("" ::: "memory"); }

// A copy of memory that another process may change at any time. The compiler may not read it again,
// so the value that is checked is the one that is used. Not one load: `shared` may be a struct.
template <class Value>
Value read_once(const Value& shared) {
  Value own = shared;
  compiler_barrier();
  return own;
}

}  // namespace am::detail::base

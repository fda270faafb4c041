// Where the program makes a call: errors of the checked build begin with it.
#pragma once

#include <am/detail/status.hpp>

#include <concepts>
#include <cstdint>
#include <string>

/// 1: ranks, addresses and bounds are checked, and gets without a sync are reported. The same in
/// all files of a program.
#ifndef AM_SPLITC_CHECKS
#ifdef NDEBUG
#define AM_SPLITC_CHECKS 0
#else
#define AM_SPLITC_CHECKS 1
#endif
#endif

namespace am::detail::splitc {

inline constexpr bool is_checked = AM_SPLITC_CHECKS != 0;

/// A line of the program, as the default of a last parameter. With Clang 14 the library has no
/// class for this.
struct place {
  const char* file;
  unsigned line;
  static constexpr place here(const char* file = __builtin_FILE(),
                              unsigned line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

/// The operand of an operator, which has no last parameter: it is converted where it is used.
template <class Operand>
struct located {
  Operand operand;
  place at;
  located(const Operand& given, place where = place::here()) noexcept : operand(given), at(where) {}
};

/// The same of an index. A negative one is out of bounds everywhere.
struct index {
  std::int64_t value;
  place at;
  template <std::integral Integer>
  index(Integer i, place where = place::here()) noexcept
      : value(static_cast<std::int64_t>(i)), at(where) {}
};

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_at(place at, am_status why,
                                                           const std::string& what) {
  const std::string line = std::string(at.file) + ":" + std::to_string(at.line) + ": " + what;
  throw error(why, line.c_str());
}

}  // namespace am::detail::splitc

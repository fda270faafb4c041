// Which counter a clock reads: two processes whose clocks have one id read the same one, as far as
// their kernel knows.
#pragma once

#include <am/clock.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace am::detail {

/// The first line of a file, or an empty one.
inline std::string first_line_of(const char* path) {
  std::string line;
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return line;
  for (int c = std::fgetc(file); c != EOF && c != '\n'; c = std::fgetc(file))
    line.push_back(static_cast<char>(c));
  std::fclose(file);
  return line;
}

/// Linux compares the counters of its processors, and takes tsc off this list where they differ or
/// stop.
inline bool kernel_trusts_tsc() {
  const std::string sources =
      first_line_of("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  return (" " + sources + " ").find(" tsc ") != std::string::npos;
}

/// 0: unknown, and equal to no other.
inline std::uint64_t counter_id(const clock& of) {
  std::string name = first_line_of("/proc/sys/kernel/random/boot_id");
  if (name.empty()) return 0;
  name += of.source();
  if (of.source() == std::string_view("tsc")) {
    if (!kernel_trusts_tsc()) return 0;
  } else {  // each namespace may have an offset of its own
    char space[64];
    const ssize_t length = ::readlink("/proc/self/ns/time", space, sizeof space);
    if (length > 0) name.append(space, static_cast<std::size_t>(length));
  }
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace am::detail

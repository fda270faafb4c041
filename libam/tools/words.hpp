// How the tools speak for themselves: one line on standard error, the name of the tool in colour on
// a terminal that wants it.
#pragma once

#include <libam/base/format.hpp>
#include <libam/base/one_line.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace am::detail::tools {

inline bool wants_colour(int fd) {
  const char* no = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no == nullptr || *no == '\0') && ::isatty(fd) != 0 &&
         (term == nullptr || std::string_view(term) != "dumb");
}

inline std::string own_line(std::string_view tool, std::string_view text) {
  static const bool colour = wants_colour(STDERR_FILENO);
  std::string line(text);
  base::make_one_line(line);
  return colour ? base::format("\033[1m{}:\033[0m {}\n", tool, line)
                : base::format("{}: {}\n", tool, line);
}

inline void say(std::string_view tool, std::string_view text) {
  const std::string line = own_line(tool, text);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

// What CLI11 says of a bad command line, but that it speaks of overrides where a flag has a value.
inline std::string usage_line(std::string_view text) {
  constexpr std::string_view flag_override = " was given a disallowed flag override";
  if (!text.ends_with(flag_override)) return std::string(text);
  text.remove_suffix(flag_override.size());
  return base::format("--{} takes no value", text);
}

}  // namespace am::detail::tools

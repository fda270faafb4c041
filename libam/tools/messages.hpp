// How the tools report: one line on standard error, with the name of the tool in colour on a
// terminal that supports it.
#pragma once

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace am::detail::tools {

inline bool uses_colour(int fd) {
  const char* no = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return (no == nullptr || *no == '\0') && ::isatty(fd) != 0 &&
         (term == nullptr || std::string_view(term) != "dumb");
}

inline std::string format_message(std::string_view tool, std::string_view text) {
  static const bool colour = uses_colour(STDERR_FILENO);
  std::string line(text);
  base::make_one_line(line);
  return colour ? base::format("\033[1m{}:\033[0m {}\n", tool, line)
                : base::format("{}: {}\n", tool, line);
}

inline void print_message(std::string_view tool, std::string_view text) {
  const std::string line = format_message(tool, text);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

// CLI11's text about a bad command line, but for a flag with a value, where it mentions overrides.
inline std::string usage_line(std::string_view text) {
  constexpr std::string_view flag_override = " was given a disallowed flag override";
  if (!text.ends_with(flag_override)) return std::string(text);
  text.remove_suffix(flag_override.size());
  return base::format("--{} takes no value", text);
}

}  // namespace am::detail::tools

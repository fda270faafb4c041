// The one file that needs all of fmt.
#define FMT_HEADER_ONLY  // NOLINT(readability-identifier-naming): the name is fmt's
#include <libam/base/format.hpp>

#include <fmt/format.h>

#include <iterator>

namespace am::detail::base {

std::string format_args_to_text(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

void append_args(std::string& to, fmt::string_view text, fmt::format_args values) {
  fmt::vformat_to(std::back_inserter(to), text, values);
}

}  // namespace am::detail::base

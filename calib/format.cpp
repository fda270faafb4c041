#define FMT_HEADER_ONLY  // NOLINT(readability-identifier-naming): the name is fmt's
#include <calib/format.hpp>

#include <fmt/format.h>

#include <cmath>

namespace calib {

std::string format_packed(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

std::string legible(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = c == '\t' ? ' ' : '?';
  return text;
}

double rounded(double value) { return std::round(value * 10'000) / 10'000; }

}  // namespace calib

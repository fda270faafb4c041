#define FMT_HEADER_ONLY  // NOLINT(readability-identifier-naming): the name is fmt's
#include <calib/format.hpp>

#include <fmt/format.h>

#include <cmath>

namespace calib {
namespace {

// So many bytes of a control character stand there: one, or two of those that are written in UTF-8.
std::size_t control_at(const std::string& text, std::size_t i) {
  const auto c = static_cast<unsigned char>(text[i]);
  if (c < 0x20 || c == 0x7f) return 1;
  const bool begins = c == 0xc2 && i + 1 < text.size();
  const auto next = static_cast<unsigned char>(begins ? text[i + 1] : ' ');
  return begins && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

}  // namespace

std::string format_packed(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

bool is_legible(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (control_at(text, i) > 0) return false;
  return true;
}

std::string legible(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const std::size_t bytes = control_at(text, i); bytes > 0)
      text.replace(i, bytes, text[i] == '\t' ? " " : "?");
  return text;
}

double rounded(double value) { return std::round(value * 10'000) / 10'000; }

}  // namespace calib

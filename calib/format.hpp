// Text with values in it: fmt, compiled once, because each file with fmt's whole header takes
// seconds more to compile.
#pragma once

#include <fmt/core.h>

#include <string>

namespace calib {

std::string format_packed(fmt::string_view text, fmt::format_args values);

template <class... Values>
std::string format(fmt::format_string<Values...> text, Values&&... values) {
  return format_packed(text, fmt::make_format_args(values...));
}

// Whether a terminal would show it and do nothing else.
bool is_legible(const std::string& text);

// What somebody else has said, made so: control characters become question marks.
std::string legible(std::string text);

// Picoseconds and ten-thousandths are finer than anything here is known.
double rounded(double value);

}  // namespace calib

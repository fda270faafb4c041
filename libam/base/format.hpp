// Formats text by fmt. The formatting is compiled once, in format.cpp, and others only pack their
// values: with fmt's whole header each file would take 6 s more to compile, 14 s with sanitizers.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace am::detail::base {

std::string format_args_to_text(fmt::string_view text, fmt::format_args values);
void append_args(std::string& to, fmt::string_view text, fmt::format_args values);

template <class... Values>
std::string format(fmt::format_string<Values...> text, Values&&... values) {
  return format_args_to_text(text, fmt::make_format_args(values...));
}

template <class... Values>
void append(std::string& to, fmt::format_string<Values...> text, Values&&... values) {
  append_args(to, text, fmt::make_format_args(values...));
}

// The elements, separated by `between`.
template <class Range>
std::string joined(const Range& range, std::string_view between) {
  std::string text;
  for (const auto& one : range) append(text, "{}{}", text.empty() ? "" : between, one);
  return text;
}

}  // namespace am::detail::base

// Text in settings and messages: lists, numbers, single lines, abbreviated values.
#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace am::detail::base {

// ---- lists: items separated by commas -----------------------------------------------------------

// Calls visit(item) for each item, at least once, until it returns false. True: it never did.
template <class Visit>
bool all_items(std::string_view list, Visit&& visit) {
  for (;;) {
    const std::size_t comma = list.find(',');
    if (!visit(list.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    list.remove_prefix(comma + 1);
  }
}

// ---- numbers ------------------------------------------------------------------------------------

// All of `text` as a decimal number. False: it is none, or one that `out` has no room for.
template <class Number>
bool read_number(std::string_view text, Number& out) noexcept {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && stopped == end;
}

// ---- messages: one line each, whatever is in the names and values that they quote ---------------

// Control characters, newlines among them, become question marks.
inline void make_one_line(std::span<char> text) noexcept {
  constexpr unsigned char first_visible = 0x20;
  constexpr char erase = 0x7f;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < first_visible || c == erase) c = '?';
}

// The length of the longest beginning of `text` that fits into `room` bytes and does not end inside
// a character (UTF-8).
inline std::size_t fitting_prefix(std::string_view text, std::size_t room) noexcept {
  if (text.size() <= room) return text.size();
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  while (room > 0 && goes_on(text[room])) --room;
  return room;
}

// A value as it is quoted: of a very long one the beginning, so that what follows is printed, too.
inline std::string abbreviate(std::string_view value) {
  constexpr std::size_t most = 100;
  const std::size_t fits = fitting_prefix(value, most);
  return std::string(value.substr(0, fits)) + (fits < value.size() ? "..." : "");
}

}  // namespace am::detail::base

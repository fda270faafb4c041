// What people are told is one line, whatever stands in the names and values that it quotes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace am::detail::base {

// Control characters, newlines among them, become question marks.
inline void make_one_line(std::span<char> text) noexcept {
  constexpr unsigned char first_visible = 0x20;
  constexpr char erase = 0x7f;
  for (char& c : text)
    if (static_cast<unsigned char>(c) < first_visible || c == erase) c = '?';
}

// How much of `text` fits into `room` bytes without half a letter at its end (UTF-8).
inline std::size_t cut(std::string_view text, std::size_t room) noexcept {
  if (text.size() <= room) return text.size();
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  while (room > 0 && goes_on(text[room])) --room;
  return room;
}

// A value as it is quoted: the beginning of a very long one, so that what follows it is told, too.
inline std::string shown(std::string_view value) {
  constexpr std::size_t most = 100;
  const std::size_t fits = cut(value, most);
  return std::string(value.substr(0, fits)) + (fits < value.size() ? "..." : "");
}

}  // namespace am::detail::base

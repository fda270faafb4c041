// Options of the commands of calib: what CLI11 lacks, and the version.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#if __has_include("calib_version.hpp")
#include "calib_version.hpp"
#else
#include <am/types.h>
namespace calib {
inline constexpr char version_text[] = AM_VERSION_STRING;
}
#endif

namespace calib {

// CLI11 itself would wrap -1 and numbers of more than 64 bits.
inline std::string check_whole_number(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stopped == end) return {};
  return "Value " + text + " is not a whole number from 0 to 18446744073709551615";
}

// Values in one word, with commas: the word behind it is a command, or an error.
inline CLI::Option* as_list(CLI::Option* option) {
  return option->delimiter(',')->expected(1)->allow_extra_args(false)->take_all()->type_name(
      "LIST");
}

// What is wrong with the files of a page and of JSON; "": nothing.
inline std::string find_file_objection(const std::string& html, const std::string& json) {
  if (html == "-") return "--html takes the name of a file, not -";
  if (!html.empty() && html == json) return "--json and --html both name " + html;
  return {};
}

// Complains of the first name that is not known; "": there is none.
inline std::string find_unknown(const char* kind, const std::vector<std::string>& given,
                                const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& one : known) all += ' ' + one;
  for (const std::string& one : given)
    if (std::ranges::find(known, one) == known.end())
      return std::string("unknown ") + kind + " '" + one + "'; there are" + all;
  return {};
}

}  // namespace calib

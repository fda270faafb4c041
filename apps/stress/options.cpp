// Parses the three options without a library.
#include "options.hpp"

#include <am/am.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

namespace stress {
namespace {

constexpr char help[] =
    "Sends small and medium requests at random, checks every one, and counts.\n"
    "Usage: stress [--pattern all-to-all|pairs|ring] [--seconds 10] [--seed N]\n"
    "\n"
    "Examples:\n"
    "  am-run -n 8 stress --seconds 10\n"
    "  AM_CREDITS=1 am-run -n 4 stress --pattern ring --seed 7\n"
    "\n"
    "Exit status: 0 all arrived, whole and in order; 1 something did not; 2 bad usage\n";

bool read_pattern(std::string_view text, pattern& out) {
  if (text == "all-to-all") return out = pattern::all_to_all, true;
  if (text == "pairs") return out = pattern::pairs, true;
  if (text == "ring") return out = pattern::ring, true;
  return false;
}

template <class Number>
bool read_number(std::string_view text, Number& out) {
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && stopped == text.data() + text.size();
}

constexpr double most_seconds = 1e6;

struct option {
  std::string_view name;
  std::string_view range;
  bool (*read)(std::string_view value, options& out);
};

constexpr option all[] = {
    {"--pattern", "all-to-all, pairs or ring",
     [](std::string_view value, options& out) { return read_pattern(value, out.to); }},
    {"--seconds", "a number from 0 to 1000000",
     [](std::string_view value, options& out) {
       // False for NaN, too.
       return read_number(value, out.seconds) && out.seconds >= 0 && out.seconds <= most_seconds;
     }},
    {"--seed", "a whole number from 0 to 18446744073709551615",
     [](std::string_view value, options& out) { return read_number(value, out.seed); }},
};

int complain(const std::string& line) {
  std::fprintf(stderr, "stress: %s (see stress --help)\n", line.c_str());
  return 2;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, options& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(help, stdout) < 0 ? 1 : 0;
    if (word == "--version") return std::printf("stress %s\n", am_version()) < 0 ? 1 : 0;
    const auto equals = word.find('=');
    const std::string name(word.substr(0, equals));
    const option* known = std::ranges::find(all, name, &option::name);
    if (known == std::end(all)) return complain("there is no option " + name);
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < argc) {
      value = argv[++i];
    }
    if (known->read(value, out)) continue;
    return complain(name + " '" + std::string(value) + "': must be " + std::string(known->range));
  }
  return std::nullopt;
}

}  // namespace stress

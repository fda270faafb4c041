// Three options are few enough to be read by hand.
#include "options.hpp"

#include <am/am.hpp>

#include <charconv>
#include <cstdio>
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

bool take(std::string_view name, std::string_view value, options& out) {
  if (name == "--pattern") return read_pattern(value, out.to);
  if (name == "--seconds") return read_number(value, out.seconds) && out.seconds >= 0;
  if (name == "--seed") return read_number(value, out.seed);
  return false;
}

}  // namespace

std::optional<int> read_options(int argc, char** argv, options& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return std::fputs(help, stdout) < 0 ? 1 : 0;
    if (word == "--version") return std::printf("stress %s\n", am_version()) < 0 ? 1 : 0;
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < argc) {
      value = argv[++i];
    }
    if (take(name, value, out)) continue;
    std::fprintf(stderr, "stress: cannot use %s %s (see stress --help)\n",
                 std::string(name).c_str(), std::string(value).c_str());
    return 2;
  }
  return std::nullopt;
}

}  // namespace stress

#include <calib/program/commtest/commtest_options.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace calib {
namespace {

bool read_packets(const char* text, std::vector<unsigned>& into) {
  for (into.clear();;) {
    char* end = nullptr;
    const unsigned long count = std::strtoul(text, &end, 10);
    if (end == text || !std::has_single_bit(count) || count > most_packets) return false;
    if (!into.empty() && count <= into.back()) return false;
    into.push_back(static_cast<unsigned>(count));
    if (*end != ',') return *end == '\0';
    text = end + 1;
  }
}

bool read_mode(std::string_view text, cache_mode& into) {
  const auto found =
      std::ranges::find_if(cache_modes, [&](cache_mode one) { return text == name_of(one); });
  if (found == cache_modes.end()) return false;
  into = *found;
  return true;
}

bool read_volume(const char* text, std::size_t& into) {
  into = std::strtoull(text, nullptr, 10);
  return std::ranges::find(swap_volumes, into) != swap_volumes.end();
}

bool read_option(std::string_view name, const char* value, commtest_options& into) {
  if (name == "--mode") return read_mode(value, into.mode);
  if (name == "--volume") return read_volume(value, into.volume);
  if (name == "--packets") return read_packets(value, into.packets);
  if (name == "--samples") {
    into.samples = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    return into.samples > 0;
  }
  into.pairs = value;
  return name == "--pairs" && std::ranges::find(swap_pairs, into.pairs) != swap_pairs.end();
}

}  // namespace

commtest_options parse_commtest(int argc, char** argv) {
  commtest_options out;
  for (int i = 1; i < argc; i += 2) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (read_option(argv[i], value, out)) continue;
    std::fprintf(stderr,
                 "%s: cannot read '%s %s': usage: [--pairs 0-1|0-2|0-2+1-3] "
                 "[--mode invalidated|initialised|repeated] [--volume 2097152|131072|8192] "
                 "[--packets 1,2,...,1024] [--samples N] (am-calibrate starts this program)\n",
                 argv[0], argv[i], value);
    std::exit(2);
  }
  return out;
}

}  // namespace calib

#include <calib/program/pair_classes.hpp>

#include <string_view>

namespace calib {
namespace {

std::string_view class_of(const rank_location& one, const rank_location& other) {
  if (one.host != other.host) return "other-host";
  return !one.cache.empty() && one.cache == other.cache ? "same-cache" : "same-host";
}

}  // namespace

std::vector<chosen_pair> choose_pairs(std::span<const rank_location> ranks) {
  std::vector<chosen_pair> out;
  for (const char* name : {"same-cache", "same-host", "other-host"})
    for (std::uint32_t peer = 1; peer < ranks.size(); ++peer)
      if (class_of(ranks[0], ranks[peer]) == name) {
        out.push_back({name, peer});
        break;
      }
  return out;
}

}  // namespace calib

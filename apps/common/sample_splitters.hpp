// The keys that split all ranks' keys into one part for each rank, chosen from samples.
#pragma once

#include "keys.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace apps {

class splitters {
 public:
  // `gather` puts the vector of each rank into one of all.
  template <class Gather>
  splitters(std::size_t ranks, Gather&& gather, std::span<const sort_key> keys) {
    std::vector<sort_key> mine(samples_of_a_rank);
    for (std::size_t i = 0; i < mine.size() && !keys.empty(); ++i)
      mine[i] = keys[i * keys.size() / mine.size()];
    std::vector<sort_key> all(ranks * mine.size());
    gather(mine, all);
    std::ranges::sort(all);
    for (std::size_t r = 1; r < ranks; ++r) first_.push_back(all[r * mine.size()]);
  }

  // The rank of this key's part.
  [[nodiscard]] std::size_t part_of(sort_key key) const noexcept {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_, key) - first_.begin());
  }

  // Has a rank about as many keys as before? Of few keys chance decides.
  static bool is_balanced(std::size_t before, std::size_t after) noexcept {
    return before < samples_of_a_rank || after <= 2 * before;
  }

 private:
  static constexpr std::size_t samples_of_a_rank = 512;

  std::vector<sort_key> first_;  // of each part but the lowest
};

}  // namespace apps

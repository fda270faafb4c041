// The targets of each rank, by the pattern, and the memory that a rank needs for the stores of
// others.
#pragma once

#include "options.hpp"

#include <am/am.hpp>

#include <algorithm>
#include <cstddef>

namespace stress {

class peers {
 public:
  peers(pattern to, am::rank_id rank, am::rank_id ranks) noexcept
      : all_(to == pattern::all_to_all), rank_(rank), ranks_(ranks), target_((rank + 1) % ranks) {
    if (to != pattern::pairs) return;
    const am::rank_id partner = rank ^ 1U;
    target_ = partner < ranks ? partner : rank;
  }

  template <class Random>
  [[nodiscard]] am::rank_id choose(Random& random) const {
    return all_ ? static_cast<am::rank_id>(random() % ranks_) : target_;
  }
  [[nodiscard]] bool sends_to(am::rank_id rank) const noexcept { return all_ || rank == target_; }

  // Every rank has as many places as ranks send to it: in pairs and in a ring that is one.
  [[nodiscard]] std::size_t places() const noexcept { return all_ ? ranks_ : 1; }
  // The place of this rank at every rank that it sends to.
  [[nodiscard]] std::size_t own_place() const noexcept { return all_ ? rank_ : 0; }
  // The size of a place, and so of the largest store. Many places share the memory.
  [[nodiscard]] std::size_t place_bytes() const noexcept {
    constexpr std::size_t most = std::size_t{64} * 1024;
    constexpr std::size_t most_of_all = std::size_t{1024} * 1024;
    constexpr std::size_t line = 64;
    return std::min(most, most_of_all / places() / line * line);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return places() * place_bytes(); }

 private:
  const bool all_;
  const am::rank_id rank_;
  const am::rank_id ranks_;
  am::rank_id target_;
};

}  // namespace stress

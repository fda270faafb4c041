// A rank's keys in a Split-C program that sorts, and the check that all ranks' are sorted.
#pragma once

#include "keys.hpp"
#include "splitc_program.hpp"

#include <span>

namespace apps {

// Collective. Are the keys in order, each rank's behind those of the rank before it, and those of
// the input?
inline bool are_sorted(world& w, std::span<const sort_key> mine, const key_hash& input) {
  struct ends {
    sort_key last;
    bool is_empty;
  };
  const auto all = w.all_gather(ends{mine.empty() ? 0 : mine.back(), mine.empty()});
  sort_key least = 0;
  for (rank_id r = 0; r < w.rank(); ++r)
    if (!all[r].is_empty) least = all[r].last;
  key_hash output;
  output.add(mine);
  const auto sum = [&](word one) { return w.all_reduce(one, std::plus<>()); };
  const word sums = sum(input.sum - output.sum);
  const word mixed = sum(input.mixed - output.mixed);
  return sum(is_sorted_from(mine, least) ? 0 : 1) == 0 && sums == 0 && mixed == 0;
}

}  // namespace apps

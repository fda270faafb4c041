// The check of the Split-C programs that sort.
#pragma once

#include "keys.hpp"
#include "splitc_program.hpp"

namespace apps {

// Collective.
inline bool are_sorted(world& w, std::span<const sort_key> mine, const key_hash& input) {
  return are_sorted(
      mine, input, w.rank(), [&](last_key one) { return w.all_gather(one); },
      [&](word one) { return w.all_reduce(one, std::plus<>()); });
}

}  // namespace apps

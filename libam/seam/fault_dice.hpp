// The dice by which faults fall to a rank (AM_FAULT): the same again for the same seed and rank.
#pragma once

#include <libam/base/dice.hpp>
#include <libam/base/settings.hpp>
#include <libam/seam/transport.hpp>

#include <cstring>
#include <vector>

namespace am::detail::seam {

// The same for all ranks. After the join's first fence, for rank 0 may have drawn the seed.
inline base::dice common_dice(const host& of) {
  std::uint64_t seed = 0;
  std::vector<std::byte> blob;
  if (of.settings.fault.seed)
    seed = *of.settings.fault.seed;
  else if (of.job.get(0, base::seed_key, blob) == AM_OK && blob.size() == sizeof seed)
    std::memcpy(&seed, blob.data(), sizeof seed);
  return base::dice(seed);
}

// This rank's own, from the common ones.
inline base::dice own_dice(base::dice& common, am_rank rank) noexcept {
  return base::dice(common.roll() + rank);
}

}  // namespace am::detail::seam

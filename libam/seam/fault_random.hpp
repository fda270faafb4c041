// The random numbers by which faults are injected (AM_FAULT): the same for the same seed and rank.
#pragma once

#include <libam/base/random.hpp>
#include <libam/base/settings.hpp>
#include <libam/seam/transport.hpp>

#include <cstring>
#include <vector>

namespace am::detail::seam {

// The same for all ranks. Call it after the join's first fence, for rank 0 may have drawn the seed.
inline base::random_source common_random(const transport_context& of) {
  std::uint64_t seed = 0;
  std::vector<std::byte> blob;
  if (of.settings.fault.seed)
    seed = *of.settings.fault.seed;
  else if (of.job.get(0, base::seed_key, blob) == AM_OK && blob.size() == sizeof seed)
    std::memcpy(&seed, blob.data(), sizeof seed);
  return base::random_source(seed);
}

// This rank's own, made of the common ones.
inline base::random_source own_random(base::random_source& common, am_rank rank) noexcept {
  return base::random_source(common.next() + rank);
}

}  // namespace am::detail::seam

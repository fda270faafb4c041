// The pairs of a job that are measured: rank 0 with the first rank of each class, nearest first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace calib {

struct rank_location {
  std::string host;   // the same text at all ranks of one host
  std::string cache;  // the largest cache that its CPUs share; "": none
  std::string cpus;   // the CPUs that it may use, 0-3,8
};

struct chosen_pair {
  const char* name;  // same-cache, same-host, other-host
  std::uint32_t peer;
};

// The pairs of ranks[0].
std::vector<chosen_pair> choose_pairs(std::span<const rank_location> ranks);

}  // namespace calib

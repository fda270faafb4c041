// Which pairs of a job are measured: rank 0 with the first rank of each class, nearest first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace calib {

// Where a rank runs.
struct whereabouts {
  std::string host;   // the same text at all ranks of one host
  std::string cache;  // the largest that all of its CPUs share; "": none
  std::string cpus;   // that it may use, 0-3,8
};

struct chosen_pair {
  const char* name;  // same-cache, same-host, other-host
  std::uint32_t peer;
};

// Of ranks at these places, for the first.
std::vector<chosen_pair> choose_pairs(std::span<const whereabouts> ranks);

}  // namespace calib

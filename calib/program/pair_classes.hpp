// The pairs of a job that are measured: rank 0 with a rank of each class, nearest first.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace calib {

// The numbers of CPUs, and so the names of caches, are those of a kernel, which may have several
// hosts: containers.
struct rank_location {
  std::uint32_t host;  // the same number at all ranks of one host
  std::string kernel;
  std::string cache;  // the largest cache that its CPUs share; "": none
  std::string cpus;   // the CPUs that it may use, 0-3,8
};

// Both may run on one CPU.
bool may_share_cpu(const rank_location& one, const rank_location& other);

struct chosen_pair {
  const char* name;  // same-cache, same-host, other-host
  std::uint32_t peer;
};

// The pairs of ranks[0], each with the first rank of its class that shares no CPU with it, or else
// with the first one.
std::vector<chosen_pair> choose_pairs(std::span<const rank_location> ranks);

}  // namespace calib

// How much memory the ranks of a host share: the closed formula of transports/shm/layout.hpp, in
// numbers.
#pragma once

#include <am/types.h>

#include <cstddef>
#include <cstdint>

namespace am::detail::info {

struct memory_use {
  am_rank ranks;
  std::uint32_t slots;  // the most of one ring
  // One direction of a pair of ranks; in use from the first message on, and at most.
  std::size_t channel_at_first;
  std::size_t channel_at_most;
  // One rank that has sent to every other.
  std::size_t rank_at_first;
  std::size_t rank_at_most;
  // The job on this host.
  std::size_t job_at_most;
  std::size_t address_space;
};

memory_use use_of(am_rank ranks, std::uint32_t slots);

}  // namespace am::detail::info

// The memory that the ranks of a host share, by the formula of transports/shm/layout.hpp.
#pragma once

#include <am/types.h>
#include <libam/wire/payload_sizes.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::info {

struct memory_use {
  am_rank ranks = 0;
  std::uint32_t slots = 0;  // of one ring, at most
  wire::payload_sizes payloads;
  // One direction of a pair of ranks; in use from the first message on, and at most.
  std::size_t channel_at_first = 0;
  std::size_t channel_at_most = 0;
  // One rank that has sent to every other.
  std::size_t rank_at_first = 0;
  std::size_t rank_at_most = 0;
  // The job on this host.
  std::size_t job_at_most = 0;
  std::size_t address_space = 0;
};

memory_use memory_use_of(am_rank ranks, std::uint32_t slots, wire::payload_sizes payloads);

}  // namespace am::detail::info

// Plain connections between two ranks of a job.
#pragma once

#include <am/am.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace calib {

inline constexpr std::size_t most_connections = 2;

// Collective. From rank `from` to rank `to`, by the first IPv4 address of that rank's host that
// answers: a connection with TCP_NODELAY for each of `buffers`, as of connect_loopback. Returns the
// ends of this rank: none at other ranks, or where no address answers.
std::vector<int> connect_ranks(am::endpoint& ep, am::rank_id from, am::rank_id to,
                               std::span<const int> buffers);

}  // namespace calib

// What the busiest rank of a program sends to other ranks, and handles of theirs: the counts by
// which the models of am-suite say what dearer messages would cost.
#pragma once

#include "report.hpp"

#include <am/team.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace apps::detail {

// Between this rank and each other one. What a rank sends to itself crosses no network.
template <class World>
std::vector<am_traffic> traffic_by_rank(World& w) {
  std::vector<am_traffic> all(w.ranks());
  for (am::rank_id rank = 0; rank < w.ranks(); ++rank)
    if (rank != w.rank()) all[rank] = w.endpoint().stats(rank);
  return all;
}

// An answer is a reply, which is a message, or the end of a call.
inline std::uint64_t replies_from(const am_traffic& peer) {
  return peer.answers - peer.gets - peer.atomics;
}

// Collective. Only the receiver of a reply counts it, so the ranks tell each other.
template <class World>
load busiest_since(World& w, const std::vector<am_traffic>& before,
                   const std::vector<am_traffic>& after, load mine) {
  std::vector<std::uint64_t> replies(w.ranks());
  for (am::rank_id rank = 0; rank < w.ranks(); ++rank) {
    replies[rank] = replies_from(after[rank]) - replies_from(before[rank]);
    const auto count = [&](std::uint64_t am_traffic::*which) {
      return static_cast<double>(after[rank].*which - before[rank].*which);
    };
    mine.sent += count(&am_traffic::requests);
    mine.handled += count(&am_traffic::handled) + static_cast<double>(replies[rank]);
    mine.bytes += count(&am_traffic::handled_bytes) + count(&am_traffic::answer_bytes);
    mine.gets += count(&am_traffic::gets);
    mine.get_bytes += count(&am_traffic::get_bytes);
  }
  w.team().all_reduce(replies, std::plus<>());
  mine.sent += static_cast<double>(replies[w.rank()]);
  return w.team().all_reduce(mine, [](const load& a, const load& b) {
    return b.sent + b.handled + b.gets > a.sent + a.handled + a.gets ? b : a;
  });
}

}  // namespace apps::detail

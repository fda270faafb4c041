// What a barrier costs each rank: a message in each of ceil(log2 n) rounds; or, where AM_PROFILE
// has chosen so, a message to each other rank in a single round.
#pragma once

#include <am/team.h>

inline am_rank rounds(am_rank ranks) {
  am_rank count = 0;
  while ((1U << count) < ranks) ++count;
  return count;
}

struct barrier_cost {
  am_rank messages;
  am_rank depth;
};
inline barrier_cost cost_of_barrier(am_ep* ep, am_rank ranks) {
  if (ranks > 1 && ranks <= am_ep_direct_barrier_ranks(ep)) return {ranks - 1, 1};
  return {rounds(ranks), rounds(ranks)};
}

// Two files that define handlers of equal names; see identity.cpp.
#pragma once

#include <am/am.hpp>

namespace am_test::identity {

// Each file sends to its own static handler `same`, its own lambda and its own template instances.
void send_from_a(am::endpoint& ep, am::rank_id to);
void send_from_b(am::endpoint& ep, am::rank_id to);

struct run_counts {
  unsigned plain = 0;
  unsigned lambda = 0;
  unsigned instances[2] = {};
  friend bool operator==(const run_counts&, const run_counts&) = default;
};
run_counts counts_in_a();
run_counts counts_in_b();

}  // namespace am_test::identity

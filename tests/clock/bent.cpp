// The protocol over real messages with bent clocks: no error exceeds the bound, whatever the clocks
// do that they may do; and what they may not do is found.
#include "bent.hpp"

#include <chrono>
#include <cmath>
#include <thread>

namespace clock_test {
namespace {

// Against rank 0 none drifts further than what is assumed.
std::vector<bend> bends_of(rank_id ranks) {
  const double second = 1e9;
  std::vector<bend> all{{3 * second, 10e-6},
                        {-7 * second, 59.9e-6},
                        {0, -39.9e-6},
                        {1e-3 * second, 10e-6},
                        {3600 * second, -12e-6}};
  while (all.size() < ranks) all.push_back({-static_cast<double>(all.size()), 0});
  return all;
}

CASE("no message contradicts the bound of clocks that differ and drift") {
  am::team all(job.ep());
  bent_job bent(all, bends_of(all.ranks()));
  const std::uint32_t parts = 10;
  const std::uint32_t messages = messages_of(job, all) / parts + 1;
  for (std::uint32_t part = 0; part < parts; ++part) {
    send_stamps(job, bent, messages);
    bent.refresh();
  }
  EXPECT_EQ(bent.clock().steps(), 0U);
  EXPECT_EQ(bent.clock().is_one(), all.ranks() == 1);
}

CASE("a refresh bounds the drift, and never wrongly") {
  am::team all(job.ep());
  bent_job bent(all, bends_of(all.ranks()));
  double bound = bent.clock().drift_bound();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    all.barrier();
    bent.refresh();
    EXPECT(std::abs(bent.clock().drift() - bent.true_drift()) <=
           bent.clock().drift_bound() + 1e-12);
    EXPECT(bent.clock().drift_bound() <= bound);
    bound = bent.clock().drift_bound();
  }
  all.barrier();
  EXPECT_EQ(bent.clock().steps(), 0U);
}

CASE("a bound grows with the distance from what was measured, both ways") {
  am::team all(job.ep());
  bent_job bent(all, bends_of(all.ranks()));
  const std::uint64_t now = bent.source().now();
  const auto second = static_cast<std::uint64_t>(1e9 / bent.source().ns(1));
  const double bound = bent.clock().bound_ns(now);
  if (all.rank() == 0) {
    EXPECT_EQ(bent.clock().bound_ns(now + second), bound);
  } else {
    EXPECT(bent.clock().bound_ns(now + second) > bound);
    EXPECT(bent.clock().bound_ns(now - second) > bound);
  }
  EXPECT_EQ(bent.clock().at(now), bent.clock().line().at(bent.clock().local_ns(now)));
  EXPECT_EQ(bent.clock().drift(), bent.clock().line().slope);
  send_stamps(job, bent, 10);
}

CASE("a rank's bound contains that of a teacher who has not refreshed", .ranks = 4) {
  am::team all(job.ep());
  bent_job bent(all, bends_of(all.ranks()));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  all.barrier();
  if (all.rank() != 1) bent.refresh();  // which teaches rank 3, and drifts most
  all.barrier();
  send_stamps(job, bent, 100);
  EXPECT_EQ(bent.clock().steps(), 0U);
}

CASE("a step of one clock is found by its next refresh, and the clock learnt anew", .ranks = 2) {
  am::team all(job.ep());
  bent_job bent(all, bends_of(all.ranks()));
  const rank_id last = all.ranks() - 1;  // teaches no other
  for (unsigned steps = 1; steps <= 2; ++steps) {
    all.barrier();
    bent.step(last, steps == 1 ? 1e9 : -3e9);
    all.barrier();
    const std::uint64_t before = bent.source().now();
    bent.refresh();
    EXPECT_EQ(bent.clock().steps(), all.rank() == last ? steps : 0);
    // What was read before is not known any more.
    EXPECT_EQ(std::isinf(bent.clock().bound_ns(before - 1)), all.rank() == last);
    EXPECT(!std::isinf(bent.clock().bound_ns()));
    all.barrier();
    send_stamps(job, bent, 100);
  }
}

CASE("a step of rank 0's clock is found by all others", .ranks = 2) {
  am::team all(job.ep());
  bent_job bent(all, bends_of(all.ranks()));
  all.barrier();
  bent.step(0, 1e9);
  all.barrier();
  for (rank_id rank = 0; rank < all.ranks(); ++rank) {  // teachers first
    if (rank == all.rank()) bent.refresh();
    all.barrier();
  }
  EXPECT_EQ(bent.clock().steps(), all.rank() == 0 ? 0U : 1U);
  send_stamps(job, bent, 100);
}

}  // namespace
}  // namespace clock_test

// Clocks that read one counter, or say so: groups of ranks, and the machine's own clock.
#include "bent.hpp"

namespace clock_test {
namespace {

CASE("clocks of one counter are one, without an error") {
  am::team all(job.ep());
  const std::vector<bend> bends(all.ranks(), bend{5e9, 30e-6});
  bent_job bent(all, bends, std::vector<std::uint64_t>(all.ranks(), 7));
  EXPECT(bent.clock().is_one());
  EXPECT_EQ(bent.clock().drift(), 0.0);
  send_stamps(job, bent, 1000);
  bent.refresh();
  EXPECT(bent.clock().is_one());
  EXPECT_EQ(bent.clock().steps(), 0U);
  const std::uint64_t raw = all.broadcast(0, bent.source().raw());
  const double said = bent.clock().at(bent.source().shown_at(raw));
  EXPECT_EQ(said, all.broadcast(0, said));
}

CASE("clocks that only say that they are one are not", .ranks = 2) {
  am::team all(job.ep());
  std::vector<bend> bends(all.ranks());
  bends.back() = {1e9, 20e-6, 3};
  bent_job bent(all, bends, std::vector<std::uint64_t>(all.ranks(), 7));
  EXPECT(!bent.clock().is_one());
  send_stamps(job, bent, 1000);
  EXPECT_EQ(bent.clock().steps(), 0U);
}

CASE("a step of a clock that was one is found", .ranks = 2) {
  am::team all(job.ep());
  const rank_id last = all.ranks() - 1;
  bent_job bent(all, std::vector<bend>(all.ranks()), std::vector<std::uint64_t>(all.ranks(), 7));
  all.barrier();
  bent.step(last, 1e9);
  all.barrier();
  bent.refresh();
  EXPECT_EQ(bent.clock().is_one(), all.rank() != last);
  EXPECT_EQ(bent.clock().steps(), all.rank() == last ? 1U : 0U);
  all.barrier();
  send_stamps(job, bent, 100);
}

CASE("ranks of each counter say the same", .ranks = 3) {
  am::team all(job.ep());
  std::vector<bend> bends;
  std::vector<std::uint64_t> counters;
  for (rank_id i = 0; i < all.ranks(); ++i) {
    bends.push_back(i % 2 == 0 ? bend{} : bend{-2e9, 25e-6});
    counters.push_back(1 + i % 2);
  }
  bent_job bent(all, bends, counters);
  for (int round = 0; round < 2; ++round) {
    EXPECT(!bent.clock().is_one());
    const std::uint64_t raw = all.broadcast(0, bent.source().raw());
    const double said = bent.clock().at(bent.source().shown_at(raw));
    EXPECT_EQ(said, all.all_gather(said)[all.rank() % 2]);
    send_stamps(job, bent, 1000);
    if (all.rank() == 1) bent.refresh();
    all.barrier();
    if (all.rank() != 1) bent.refresh();
    all.barrier();
  }
  EXPECT_EQ(bent.clock().steps(), 0U);
}

// ---- the machine's own clock --------------------------------------------------------------------

struct sent_time {
  double time;
  double bound;
};
thread_local const am::global_clock* clock_of_rank = nullptr;
thread_local unsigned times_seen = 0;

void check_order(am::request_token, sent_time sent) {
  EXPECT(clock_of_rank->now() + clock_of_rank->bound_ns() >= sent.time - sent.bound);
  ++times_seen;
}

CASE("no message comes before it was sent, by the clock of a team and by those of its parts") {
  am::team all(job.ep());
  const am::clock local;
  am::team part = all.split(static_cast<int>(all.rank() % 2));
  am::global_clock of_all = all.global_clock(local);
  const am::global_clock of_part = part.global_clock(local);
  clock_of_rank = &of_all;
  all.barrier();
  const std::uint32_t count = messages_of(job, all);
  for (std::uint32_t i = 0; i < count; ++i) {
    job.ep().request<check_order>(job.next(), {of_all.now(), of_all.bound_ns()});
    if (i % 1000 == 0) all.refresh(of_all);
  }
  job.ep().wait([&] { return times_seen == count; });
  EXPECT_EQ(of_all.steps() + of_part.steps(), 0U);
  EXPECT(of_part.now() <= of_all.now() + of_all.bound_ns() || part.ranks() != all.ranks());
  job.ep().job_fence();
}

CASE("the machine's clock is one where all ranks read one counter, and its bound does not grow") {
  am::team all(job.ep());
  const am::clock local;
  const am::global_clock clock = all.global_clock(local);
  const std::uint64_t id = am::detail::counter_id(local);
  const bool same = all.all_reduce(id, [&](auto a, auto b) { return a == b ? a : 0; }) != 0;
  EXPECT_EQ(clock.is_one(), same || all.ranks() == 1);
  const std::uint64_t now = local.now();
  const auto in_a_minute = now + static_cast<std::uint64_t>(60e9 / local.ns(1));
  if (!clock.is_one()) return;
  EXPECT_EQ(clock.bound_ns(in_a_minute), clock.bound_ns(now));
  EXPECT(clock.bound_ns(in_a_minute) < 2000);  // a reading
}

CASE("a team refreshes its own clock alone") {
  am::team all(job.ep());
  am::team other(job.ep());
  const am::clock local;
  am::global_clock clock = all.global_clock(local);
  EXPECT_EQ(am_test::thrown_by([&] { other.refresh(clock); }).code(), AM_ARGUMENT_SIZE);
  const am::global_clock of_other = other.global_clock(local);
  EXPECT_EQ(am_test::thrown_by([&] { other.refresh(clock); }).code(), AM_ARGUMENT_SIZE);
  all.refresh(clock);
  EXPECT(of_other.steps() == 0);
  am::global_clock later = all.global_clock(local);
  EXPECT_EQ(am_test::thrown_by([&] { all.refresh(clock); }).code(), AM_ARGUMENT_SIZE);
  all.refresh(later);
}

}  // namespace
}  // namespace clock_test

// Teams: their members, that several do not mix, errors, and that a rank that waits in a collective
// still replies.
#include "../support/suite.hpp"

#include <am/team.hpp>

#include <string>
#include <thread>
#include <vector>

namespace {

CASE("a team of all ranks has the numbers of the job") {
  am::team all(job.ep());
  EXPECT_EQ(all.rank(), job.rank());
  EXPECT_EQ(all.ranks(), job.ranks());
  for (am::rank_id i = 0; i < all.ranks(); ++i) EXPECT_EQ(all.job_rank(i), i);
}

CASE("a split groups by color and orders by key, then by rank") {
  am::team all(job.ep());
  const am::rank_id n = job.ranks();
  am::team third = all.split(static_cast<int>(job.rank() % 3));
  EXPECT_EQ(third.ranks(), (n - job.rank() % 3 + 2) / 3);
  EXPECT_EQ(third.rank(), job.rank() / 3);
  for (am::rank_id i = 0; i < third.ranks(); ++i)
    EXPECT_EQ(third.job_rank(i), 3 * i + job.rank() % 3);

  am::team reversed = all.split(-7, -static_cast<int>(job.rank()));
  EXPECT_EQ(reversed.rank(), n - 1 - job.rank());
  for (am::rank_id i = 0; i < n; ++i) EXPECT_EQ(reversed.job_rank(i), n - 1 - i);
  EXPECT_EQ(reversed.broadcast(0, job.rank()), n - 1);
  EXPECT_EQ(reversed.scan(1U, std::plus<>()), n - job.rank());

  am::team alone = third.split(static_cast<int>(third.rank()));
  EXPECT_EQ(alone.ranks(), 1U);
  alone.barrier();
  EXPECT_EQ(alone.all_reduce(5, std::plus<>()), 5);
  EXPECT_EQ(third.all_reduce(1U, std::plus<>()), third.ranks());
}

// Some ranks split more often than others, and all together afterwards.
CASE("teams of different histories have different numbers") {
  am::team all(job.ep());
  am::team half = all.split(job.rank() < job.ranks() / 2 ? 0 : 1);
  std::vector<am::team> inner;
  if (job.rank() < job.ranks() / 2)
    for (int i = 0; i < 3; ++i) inner.push_back(half.split(0));
  am::team late = all.split(0);
  am::team again(job.ep());
  for (unsigned round = 0; round < 20; ++round) {
    EXPECT_EQ(late.broadcast(round % late.ranks(), 100 * job.rank()),
              100 * late.job_rank(round % late.ranks()));
    for (am::team& team : inner) EXPECT_EQ(team.all_reduce(1U, std::plus<>()), team.ranks());
    EXPECT_EQ(again.all_reduce(2U, std::plus<>()), 2 * job.ranks());
    EXPECT_EQ(half.all_reduce(3U, std::plus<>()), 3 * half.ranks());
  }
}

CASE("alternating collectives of two teams do not mix") {
  am::team all(job.ep());
  am::team back = all.split(0, -static_cast<int>(job.rank()));
  am::team odd = all.split(static_cast<int>(job.rank() % 2));
  const unsigned rounds = job.per_pair(4000);
  for (unsigned round = 0; round < rounds; ++round) {
    const am::rank_id root = round % job.ranks();
    EXPECT_EQ(all.broadcast(root, 1000 * round + job.rank()), 1000 * round + root);
    EXPECT_EQ(back.broadcast(root, 2000 * round + job.rank()),
              2000 * round + job.ranks() - 1 - root);
    odd.reduce(round % odd.ranks(), 3U, std::plus<>());
    back.reduce(root, 3U, std::plus<>());
  }
  all.barrier();
  EXPECT_EQ(odd.all_reduce(1U, std::plus<>()), odd.ranks());
}

// ---- errors ----

thread_local am::team* tried = nullptr;
thread_local am::endpoint* tried_at = nullptr;
thread_local std::vector<am::status> refusals;
thread_local std::vector<int> untouched;
void try_collectives(am::request_token) {
  am::team& team = *tried;
  std::vector<int> values(team.ranks());
  untouched.assign(team.ranks(), 7);
  refusals = {am_test::thrown_by([&] { team.barrier(); }),
              am_test::thrown_by([&] { team.broadcast(0, values); }),
              am_test::thrown_by([&] { team.reduce(0, values, std::plus<>()); }),
              am_test::thrown_by([&] { team.all_reduce(values, std::plus<>()); }),
              am_test::thrown_by([&] { team.scan(values, std::plus<>()); }),
              am_test::thrown_by([&] { (void)team.all_gather(1); }),
              am_test::thrown_by([&] { team.all_to_all(values, untouched); }),
              am_test::thrown_by([&] { (void)team.split(0); }),
              am_test::thrown_by([] { am::team made(*tried_at); })};
}

CASE("a collective in a handler is usage(in_handler), and the team still works") {
  am::team all(job.ep());
  am::team alone = all.split(static_cast<int>(all.rank()));
  for (am::team* team : {&all, &alone}) {
    tried = team;
    tried_at = &job.ep();
    refusals.clear();
    job.ep().job_fence();
    // At one rank only: its next collective still matches the others' next.
    if (job.rank() == 0) job.ep().request<try_collectives>(job.next());
    if (job.rank() == 1 % job.ranks()) {
      job.ep().wait([] { return !refusals.empty(); });
      EXPECT_EQ(refusals.size(), 9U);
      for (const am::status status : refusals) EXPECT_EQ(status, am::status(AM_USAGE_IN_HANDLER));
      EXPECT(untouched == std::vector<int>(team->ranks(), 7));
    }
    EXPECT_EQ(all.all_reduce(1U, std::plus<>()), all.ranks());
  }
}

CASE("invalid ranks and sizes are refused before anything is sent") {
  am::team all(job.ep());
  const am::status rank(AM_ARGUMENT_RANK);
  const am::status size(AM_ARGUMENT_SIZE);
  const am::rank_id n = all.ranks();
  std::vector<int> right(n);
  std::vector<int> wrong(n + 1);
  const std::vector<int> one(1);
  const auto sent = all.counts().sent;
  EXPECT_EQ(am_test::thrown_by([&] { (void)all.broadcast(n, 1); }), rank);
  EXPECT_EQ(am_test::thrown_by([&] { all.reduce(n, 1, std::plus<>()); }), rank);
  EXPECT_EQ(am_test::thrown_by([&] { (void)all.job_rank(n); }), rank);
  EXPECT_EQ(am_test::thrown_by([&] { all.all_gather(one, wrong); }), size);
  EXPECT_EQ(am_test::thrown_by([&] { all.all_to_all(wrong, right); }), size);
  EXPECT_EQ(am_test::thrown_by([&] { all.all_to_all(right, wrong); }), size);
  EXPECT_EQ(all.counts().sent, sent);
  EXPECT_EQ(all.all_reduce(1U, std::plus<>()), n);
}

CASE("ranks that call different collectives get an error, and other teams continue", .ranks = 2) {
  am::team all(job.ep());
  am::team pair = all.split(static_cast<int>(job.rank() / 2));
  am::team other = all.split(static_cast<int>(job.rank() / 2));
  if (pair.ranks() == 2) {
    std::string line;
    try {
      if (pair.rank() == 0)
        (void)pair.broadcast(0, std::uint32_t{0});
      else
        (void)pair.broadcast(0, std::uint64_t{0});
    } catch (const am::error& e) {
      EXPECT_EQ(e.status(), am::status(AM_ARGUMENT_SIZE));
      line = e.what();
    }
    EXPECT_EQ(line.empty(), pair.rank() == 0);
    if (pair.rank() == 1) {
      EXPECT(line.find("4 bytes") != std::string::npos &&
             line.find("8 bytes") != std::string::npos);
      EXPECT_EQ(am_test::thrown_by([&] { (void)pair.broadcast(1, std::uint32_t{0}); }),
                am::status(AM_ARGUMENT_SIZE));
    }
  }
  EXPECT_EQ(other.all_reduce(1U, std::plus<>()), other.ranks());
}

CASE("a team whose endpoint has left is refused, and the next job has its own teams") {
  am::team old(job.ep());
  EXPECT_EQ(old.all_reduce(1U, std::plus<>()), old.ranks());
  job.leave();
  EXPECT_EQ(am_test::thrown_by([&] { old.barrier(); }), am::status(AM_USAGE_LEFT));
  job.join();
  am::team all(job.ep());
  EXPECT_EQ(all.all_reduce(1U, std::plus<>()), job.ranks());
  EXPECT_EQ(am_test::thrown_by([&] { old.barrier(); }), am::status(AM_USAGE_LEFT));
}

CASE("a team moves with its endpoint to another thread and back") {
  am::team all(job.ep());
  am::team odd = all.split(static_cast<int>(job.rank() % 2));
  unsigned sum = 0;
  std::thread([&] {
    job.ep().adopt();
    sum = odd.all_reduce(1U, std::plus<>());
    all.barrier();
  }).join();
  EXPECT_EQ(am_test::thrown_by([&] { all.barrier(); }), am::status(AM_USAGE_OTHER_THREAD));
  job.ep().adopt();
  EXPECT_EQ(sum, odd.ranks());
  EXPECT_EQ(all.all_reduce(1U, std::plus<>()), all.ranks());
}

}  // namespace

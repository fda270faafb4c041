// Leaving is collective: a rank in close handles messages until all ranks are there, and every
// request is answered.
#include "../support/suite.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace {

thread_local unsigned served = 0;
thread_local unsigned answers = 0;
thread_local unsigned bytes_served = 0;
void on_reply(am::reply_token) { ++answers; }
void on_request(am::request_token t) {
  ++served;
  t.reply<on_reply>();
}
void on_medium(am::request_token, std::span<const std::byte> data) {
  bytes_served += static_cast<unsigned>(data.size());
}

CASE("a rank that closes early handles messages of ranks that still send") {
  const unsigned count = job.per_pair(100000);
  const std::vector<std::byte> data(1000);
  for (am::rank_id early = 0; early < std::min(job.ranks(), 3U); ++early) {
    served = answers = bytes_served = 0;
    job.ep().job_fence();
    if (job.rank() != early) {
      for (unsigned i = 0; i < count; ++i) job.ep().request<on_request>(early);
      for (unsigned i = 0; i < count / 10; ++i) job.ep().request<on_medium>(early, data);
      job.ep().wait([&] { return answers == count; });
    }
    job.leave();
    if (job.rank() == early) {
      EXPECT_EQ(served, count * (job.ranks() - 1));
      EXPECT_EQ(bytes_served, count / 10 * 1000 * (job.ranks() - 1));
    }
    job.join();
  }
}

CASE("close waits for the answer to every request in flight") {
  const unsigned count = job.per_pair(10000);
  served = answers = 0;
  job.ep().job_fence();
  for (unsigned i = 0; i < count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) job.ep().request<on_request>(to);
  job.leave();
  EXPECT_EQ(served, count * job.ranks());
  EXPECT_EQ(answers, count * job.ranks());
  job.join();
}

CASE("silent requests in flight are handled before close returns") {
  const unsigned count = job.per_pair(10000) / 10;
  const std::vector<std::byte> data(3000);
  bytes_served = 0;
  job.ep().job_fence();
  for (unsigned i = 0; i < count; ++i)
    for (am::rank_id to = 0; to < job.ranks(); ++to) job.ep().request<on_medium>(to, data);
  job.leave();
  EXPECT_EQ(bytes_served, count * 3000 * job.ranks());
  job.join();
}

CASE("leaving at once after joining, and one rank after another") {
  for (unsigned round = 0; round < 3; ++round) {
    job.leave();
    job.join();
  }
}

CASE("leaving unmaps segments, though their objects still exist") {
  constexpr std::uint64_t stamp = 0x5eed5eed5eed5eed;
  const am::segment made(job.ep(), 4096);
  auto* const word = static_cast<std::uint64_t*>(made.address());
  *word = stamp;
  job.leave();
  // Nothing, or what another thread has mapped there since.
  std::uint64_t found = 0;
  const iovec there{word, sizeof *word};
  const iovec here{&found, sizeof found};
  (void)::process_vm_readv(::getpid(), &here, 1, &there, 1, 0);
  EXPECT(found != stamp);
  job.join();
}

CASE("an endpoint that was moved from has nothing to close") {
  am::endpoint moved = std::move(job.ep());
  job.ep() = std::move(moved);
  job.ep().job_fence();
}

}  // namespace

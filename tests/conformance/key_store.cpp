// The job's key-value store: small blobs, published with the next fence.
#include "../support/suite.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {

std::vector<std::byte> blob_of(std::size_t size, unsigned seed) {
  std::vector<std::byte> blob(size);
  for (std::size_t i = 0; i < size; ++i) blob[i] = static_cast<std::byte>(seed * 13 + i);
  return blob;
}

CASE("after the fence every rank can read what each rank has put") {
  auto& ep = job.ep();
  const std::array<std::size_t, 5> sizes{0, 1, 64, 1000, 4096};
  for (const std::size_t size : sizes)
    ep.job_put("keys." + std::to_string(size), blob_of(size, job.rank()));
  ep.job_fence();
  for (am::rank_id from = 0; from < job.ranks(); ++from)
    for (const std::size_t size : sizes)
      EXPECT(ep.job_get(from, "keys." + std::to_string(size)) == blob_of(size, from));
}

CASE("a key that is put again has the new value after the next fence") {
  auto& ep = job.ep();
  for (unsigned round = 0; round < 5; ++round) {
    ep.job_put("keys.again", blob_of(10 + round, round));
    ep.job_fence();
    EXPECT(ep.job_get(job.next(), "keys.again") == blob_of(10 + round, round));
    ep.job_fence();
  }
}

CASE("a missing key is argument(setting), a rank out of range argument(rank)") {
  auto& ep = job.ep();
  EXPECT_EQ(am_test::thrown_by([&] { (void)ep.job_get(0, "keys.missing"); }),
            am::status(AM_ARGUMENT_SETTING));
  EXPECT_EQ(am_test::thrown_by([&] { (void)ep.job_get(job.ranks(), "keys.missing"); }),
            am::status(AM_ARGUMENT_RANK));
}

CASE("a buffer that is too small is argument(size) and reports the size") {
  auto& ep = job.ep();
  ep.job_put("keys.room", blob_of(100, 1));
  ep.job_fence();
  std::array<std::byte, 99> room{};
  std::size_t bytes = room.size();
  EXPECT_EQ(am_job_get(ep.raw(), 0, "keys.room", room.data(), &bytes), AM_ARGUMENT_SIZE);
  EXPECT_EQ(bytes, std::size_t{100});
}

thread_local unsigned requests = 0;
void on_request(am::request_token) { ++requests; }

CASE("a rank that waits in a fence handles messages", .ranks = 2) {
  auto& ep = job.ep();
  const std::uint32_t count = job.per_pair(20000 * job.ranks() * job.ranks());
  if (job.rank() == 1) {
    // More than any window: this ends only if rank 0, which is in the fence, handles them.
    for (unsigned i = 0; i < count; ++i) ep.request<on_request>(0);
  }
  ep.job_fence();
  if (job.rank() == 0) ep.wait([&] { return requests == count; });
}

}  // namespace

// am-run's server when a rank has died and the others go on: where it is written, whom it wakes,
// and how the fences go on.
#include "house.hpp"

#include <libam/base/shared_memory.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <cstring>
#include <string>

using namespace am::detail;
using am::test::house;

namespace {

struct member {
  std::unique_ptr<seam::boot> boot;
  base::shared_memory memory;
  base::bell bell;

  explicit member(std::unique_ptr<seam::boot> joined)
      : boot(std::move(joined)), bell(boot->bell_socket()) {
    REQUIRE(boot->share_memory(4096, 0, memory) == AM_OK);
    REQUIRE(memory.reserve(0, 4096) == AM_OK);
  }
  [[nodiscard]] bool rung() const {
    pollfd one{bell.descriptor(), POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, memory.data() + offset, sizeof value);
    return value;
  }
  void finish_fence() const {
    am_status status = AM_AGAIN_CONNECTING;
    while (status == AM_AGAIN_CONNECTING) status = boot->fence_done();
    REQUIRE(status == AM_OK);
  }
};

constexpr std::uint64_t attention_of(am_rank rank) { return 64 * rank; }
constexpr std::uint64_t obituary_of(am_rank rank) { return 64 * rank + 8; }

std::vector<member> join_all(house& am_run, am_rank ranks) {
  std::vector<member> all;
  for (auto& boot : am_run.join_all()) all.emplace_back(std::move(boot));
  REQUIRE(all.size() == ranks);
  return all;
}
void watch(member& one) {
  const am_rank rank = one.boot->rank();
  one.boot->watch_for_deaths({attention_of(rank), 4, obituary_of(rank), one.bell.own_name()});
}
// What was said before is known to the server afterwards.
void fence(std::vector<member>& all) {
  for (member& one : all) REQUIRE(one.boot->start_fence() == AM_OK);
  for (member& one : all) one.finish_fence();
}
// As a process that ends.
bool dies(house& am_run, member& one) {
  const am_rank rank = one.boot->rank();
  one.boot.reset();
  CHECK(am_run.heard("lost " + std::to_string(rank)));
  return am_run.bury(rank);
}
bool has_put(const member& one, am_rank rank) {
  std::vector<std::byte> blob;
  return one.boot->get(rank, "key", blob) == AM_OK;
}

}  // namespace

TEST_CASE("an obituary stands where the dead rank has said, and every other is told and rung") {
  house am_run(3);
  auto all = join_all(am_run, 3);
  for (member& one : all) watch(one);
  fence(all);
  CHECK(dies(am_run, all[1]));
  for (am_rank rank = 0; rank < 3; ++rank) {
    CHECK(all[0].word(obituary_of(rank)) == (rank == 1 ? 1 : 0));
    CHECK(all[0].word(attention_of(rank)) == (rank == 1 ? 0 : 4));
    CHECK(all[rank].rung() == (rank != 1));
  }
  // Once is all.
  all[0].bell.silence();
  CHECK(am_run.bury(1));
  CHECK(!all[0].rung());
}

TEST_CASE("nobody outlives a death before all have said where they hear of it") {
  house am_run(3);
  auto all = join_all(am_run, 3);
  watch(all[0]);
  watch(all[1]);
  fence(all);
  CHECK(!dies(am_run, all[1]));
}

TEST_CASE("a fence passes without the dead, whether they had come to it or not") {
  for (const bool had_come : {false, true}) {
    CAPTURE(had_come);
    house am_run(3);
    auto all = join_all(am_run, 3);
    for (member& one : all) watch(one);
    fence(all);
    const std::byte blob[3]{};
    for (member& one : all) REQUIRE(one.boot->put("key", blob) == AM_OK);
    if (had_come) REQUIRE(all[1].boot->start_fence() == AM_OK);
    REQUIRE(all[0].boot->start_fence() == AM_OK);
    CHECK(dies(am_run, all[1]));
    CHECK(all[0].boot->fence_done() == AM_AGAIN_CONNECTING);
    REQUIRE(all[2].boot->start_fence() == AM_OK);
    all[0].finish_fence();
    all[2].finish_fence();
    CHECK(has_put(all[0], 2));
    CHECK(!has_put(all[0], 1));
    CHECK(!has_put(all[2], 1));
    // And the next ones.
    for (const am_rank rank : {2U, 0U}) REQUIRE(all[rank].boot->start_fence() == AM_OK);
    all[0].finish_fence();
    all[2].finish_fence();
  }
}

TEST_CASE("the last that a fence waits for has died") {
  house am_run(3);
  auto all = join_all(am_run, 3);
  for (member& one : all) watch(one);
  fence(all);
  REQUIRE(all[0].boot->start_fence() == AM_OK);
  REQUIRE(all[2].boot->start_fence() == AM_OK);
  CHECK(dies(am_run, all[1]));
  all[0].finish_fence();
  all[2].finish_fence();
}

TEST_CASE("when all have left or died it is still known who had died") {
  house am_run(2);
  auto all = join_all(am_run, 2);
  for (member& one : all) watch(one);
  fence(all);
  CHECK(dies(am_run, all[1]));
  all[0].boot->leave();
  CHECK(am_run.bury(1));
}

TEST_CASE("words that are no words of the memory are left alone") {
  house am_run(4);
  auto all = join_all(am_run, 4);
  watch(all[0]);
  all[1].boot->watch_for_deaths({3, 4, 5, all[1].bell.own_name()});
  all[2].boot->watch_for_deaths({1U << 30, 4, ~std::uint64_t{7}, base::bell::nobody});
  all[3].boot->watch_for_deaths({4096, 4, 4096, all[3].bell.own_name()});
  fence(all);
  CHECK(dies(am_run, all[2]));
  CHECK(all[0].word(attention_of(0)) == 4);
  CHECK(dies(am_run, all[1]));
  CHECK(dies(am_run, all[3]));
  CHECK(all[0].word(0) == 4);
}

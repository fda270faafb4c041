// am-run's server when a rank has died and the others continue: exit flags, wakeups, and how fences
// proceed.
#include "server_thread.hpp"

#include <libam/base/shared_memory.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <cstring>
#include <string>

using namespace am::detail;
using am_test::server_thread;

namespace {

struct member {
  std::unique_ptr<seam::boot> boot;
  base::shared_memory memory;
  base::wakeup wakeup;

  explicit member(std::unique_ptr<seam::boot> joined)
      : boot(std::move(joined)), wakeup(boot->wakeup_socket()) {
    REQUIRE(boot->share_memory(4096, 0, memory) == AM_OK);
    REQUIRE(memory.reserve(0, 4096) == AM_OK);
  }
  [[nodiscard]] bool woken() const {
    pollfd one{wakeup.descriptor(), POLLIN, 0};
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
constexpr std::uint64_t exit_report_of(am_rank rank) { return 64 * rank + 8; }

std::vector<member> join_all(server_thread& am_run, am_rank ranks) {
  std::vector<member> all;
  for (auto& boot : am_run.join_all()) all.emplace_back(std::move(boot));
  REQUIRE(all.size() == ranks);
  return all;
}
void request_notification(member& one) {
  const am_rank rank = one.boot->rank();
  one.boot->request_exit_notification(
      {attention_of(rank), 4, exit_report_of(rank), one.wakeup.own_name()});
}
// Requests sent before it have been read by the server after it.
void fence(std::vector<member>& all) {
  for (member& one : all) REQUIRE(one.boot->start_fence() == AM_OK);
  for (member& one : all) one.finish_fence();
}
// As a process that ends.
bool end_and_retire(server_thread& am_run, member& one) {
  const am_rank rank = one.boot->rank();
  one.boot.reset();
  CHECK(am_run.wait_for_event("lost " + std::to_string(rank)));
  return am_run.retire_rank(rank);
}
bool has_key(const member& one, am_rank rank) {
  std::vector<std::byte> blob;
  return one.boot->get(rank, "key", blob) == AM_OK;
}

}  // namespace

TEST_CASE("an exit flag is set where requested, and every other rank is notified and woken") {
  server_thread am_run(3);
  auto all = join_all(am_run, 3);
  for (member& one : all) request_notification(one);
  fence(all);
  CHECK(end_and_retire(am_run, all[1]));
  for (am_rank rank = 0; rank < 3; ++rank) {
    CHECK(all[0].word(exit_report_of(rank)) == (rank == 1 ? 1 : 0));
    CHECK(all[0].word(attention_of(rank)) == (rank == 1 ? 0 : 4));
    CHECK(all[rank].woken() == (rank != 1));
  }
  // Only once.
  all[0].wakeup.clear();
  CHECK(am_run.retire_rank(1));
  CHECK(!all[0].woken());
}

TEST_CASE("a death cannot be survived before all ranks have requested exit notifications") {
  server_thread am_run(3);
  auto all = join_all(am_run, 3);
  request_notification(all[0]);
  request_notification(all[1]);
  fence(all);
  CHECK(!end_and_retire(am_run, all[1]));
}

TEST_CASE("a fence passes without a dead rank, whether or not that rank had entered it") {
  for (const bool had_come : {false, true}) {
    CAPTURE(had_come);
    server_thread am_run(3);
    auto all = join_all(am_run, 3);
    for (member& one : all) request_notification(one);
    fence(all);
    const std::byte blob[3]{};
    for (member& one : all) REQUIRE(one.boot->put("key", blob) == AM_OK);
    if (had_come) REQUIRE(all[1].boot->start_fence() == AM_OK);
    REQUIRE(all[0].boot->start_fence() == AM_OK);
    CHECK(end_and_retire(am_run, all[1]));
    CHECK(all[0].boot->fence_done() == AM_AGAIN_CONNECTING);
    REQUIRE(all[2].boot->start_fence() == AM_OK);
    all[0].finish_fence();
    all[2].finish_fence();
    CHECK(has_key(all[0], 2));
    CHECK(!has_key(all[0], 1));
    CHECK(!has_key(all[2], 1));
    // And so do the next fences.
    for (const am_rank rank : {2U, 0U}) REQUIRE(all[rank].boot->start_fence() == AM_OK);
    all[0].finish_fence();
    all[2].finish_fence();
  }
}

TEST_CASE("the last rank that a fence waits for dies") {
  server_thread am_run(3);
  auto all = join_all(am_run, 3);
  for (member& one : all) request_notification(one);
  fence(all);
  REQUIRE(all[0].boot->start_fence() == AM_OK);
  REQUIRE(all[2].boot->start_fence() == AM_OK);
  CHECK(end_and_retire(am_run, all[1]));
  all[0].finish_fence();
  all[2].finish_fence();
}

TEST_CASE("when all have left or died the dead ranks are still known") {
  server_thread am_run(2);
  auto all = join_all(am_run, 2);
  for (member& one : all) request_notification(one);
  fence(all);
  CHECK(end_and_retire(am_run, all[1]));
  all[0].boot->leave();
  CHECK(am_run.retire_rank(1));
}

TEST_CASE("offsets outside the memory are ignored") {
  server_thread am_run(4);
  auto all = join_all(am_run, 4);
  request_notification(all[0]);
  all[1].boot->request_exit_notification({3, 4, 5, all[1].wakeup.own_name()});
  all[2].boot->request_exit_notification({1U << 30, 4, ~std::uint64_t{7}, base::wakeup::no_name});
  all[3].boot->request_exit_notification({4096, 4, 4096, all[3].wakeup.own_name()});
  fence(all);
  CHECK(end_and_retire(am_run, all[2]));
  CHECK(all[0].word(attention_of(0)) == 4);
  CHECK(end_and_retire(am_run, all[1]));
  CHECK(end_and_retire(am_run, all[3]));
  CHECK(all[0].word(0) == 4);
}

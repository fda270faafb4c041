// Both sides of the connections between ranks and am-run, in one process: the real client against
// the real server, and clients that violate the protocol.
#include "server_thread.hpp"

#include <libam/base/error.hpp>
#include <libam/boot/run/handshake.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <string_view>

using namespace am::detail;
using am_test::raw_client;
using am_test::server_thread;

namespace {

using bytes = std::vector<std::byte>;

bytes bytes_of(std::string_view text) {
  const auto view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

am_status finish_fence(seam::boot& rank) {
  for (;;) {
    const am_status status = rank.fence_done();
    if (status != AM_AGAIN_CONNECTING) return status;
    std::this_thread::yield();
  }
}

// All start, then all finish.
void fence(std::vector<std::unique_ptr<seam::boot>>& ranks) {
  for (auto& rank : ranks) REQUIRE(rank->start_fence() == AM_OK);
  for (auto& rank : ranks) REQUIRE(finish_fence(*rank) == AM_OK);
}

void leave(std::vector<std::unique_ptr<seam::boot>>& ranks) {
  for (auto& rank : ranks) rank->leave();
  ranks.clear();
}

}  // namespace

TEST_CASE("ranks that join learn their numbers and share one memory") {
  server_thread am_run(3);
  auto ranks = am_run.join_all();
  std::vector<base::shared_memory> memories(3);
  for (am_rank r = 0; r < 3; ++r) {
    CHECK(ranks[r]->name() == "run");
    CHECK(ranks[r]->rank() == r);
    CHECK(ranks[r]->ranks() == 3);
    CHECK(ranks[r]->ranks_here() == 3);
    CHECK(ranks[r]->one_host());
    REQUIRE(ranks[r]->share_memory(1U << 20, 0, memories[r]) == AM_OK);
  }
  REQUIRE(memories[0].reserve(0, 4096) == AM_OK);
  memories[0].data()[5] = std::byte{9};
  CHECK(memories[2].data()[5] == std::byte{9});
  CHECK(ranks[0]->host_id() == ranks[2]->host_id());
  leave(ranks);
}

TEST_CASE("memories of two hosts, or of two joins, have different ids") {
  server_thread here(run::rank_set::block(0, 1, 2));
  server_thread there(run::rank_set::block(1, 1, 2));
  auto zero = here.join_all();
  auto one = there.join_all();
  const std::uint64_t first = zero[0]->host_id();
  CHECK(first != one[0]->host_id());
  leave(zero);
  leave(one);
  zero = here.join_all();
  CHECK(zero[0]->host_id() != first);
  leave(zero);
}

TEST_CASE("ranks of one host of several know how many are there") {
  server_thread am_run(am::detail::run::rank_set({4, 5}, 9));
  auto ranks = am_run.join_all();
  for (am_rank r = 0; r < 2; ++r) {
    CHECK(ranks[r]->rank() == 4 + r);
    CHECK(ranks[r]->ranks() == 9);
    CHECK(ranks[r]->ranks_here() == 2);
    CHECK(!ranks[r]->one_host());
  }
  leave(ranks);
}

TEST_CASE("a fence passes when the last rank has entered, and publishes what all have put") {
  server_thread am_run(3);
  auto ranks = am_run.join_all();
  for (am_rank r = 0; r < 3; ++r)
    REQUIRE(ranks[r]->put("name", bytes_of("rank " + std::to_string(r))) == AM_OK);
  REQUIRE(ranks[0]->start_fence() == AM_OK);
  REQUIRE(ranks[1]->start_fence() == AM_OK);
  CHECK(ranks[0]->fence_done() == AM_AGAIN_CONNECTING);
  bytes got;
  CHECK(ranks[0]->get(1, "name", got) == AM_ARGUMENT_SETTING);
  REQUIRE(ranks[2]->start_fence() == AM_OK);
  for (auto& rank : ranks) REQUIRE(finish_fence(*rank) == AM_OK);
  for (auto& rank : ranks) {
    for (am_rank r = 0; r < 3; ++r) {
      REQUIRE(rank->get(r, "name", got) == AM_OK);
      CHECK(got == bytes_of("rank " + std::to_string(r)));
    }
    CHECK(rank->get(3, "name", got) == AM_ARGUMENT_RANK);
    CHECK(rank->get(0, "other", got) == AM_ARGUMENT_SETTING);
  }
  leave(ranks);
}

TEST_CASE("published values stay, and a key that is put again is replaced") {
  server_thread am_run(2);
  auto ranks = am_run.join_all();
  REQUIRE(ranks[0]->put("a", bytes_of("1")) == AM_OK);
  REQUIRE(ranks[0]->put("b", bytes_of("1")) == AM_OK);
  fence(ranks);
  REQUIRE(ranks[0]->put("b", bytes_of("2")) == AM_OK);
  fence(ranks);
  bytes got;
  REQUIRE(ranks[1]->get(0, "a", got) == AM_OK);
  CHECK(got == bytes_of("1"));
  REQUIRE(ranks[1]->get(0, "b", got) == AM_OK);
  CHECK(got == bytes_of("2"));
  leave(ranks);
}

TEST_CASE("large blobs pass: more than any socket holds") {
  server_thread am_run(8);
  auto ranks = am_run.join_all();
  constexpr std::size_t size = 1U << 20;
  for (am_rank r = 0; r < 8; ++r)
    REQUIRE(ranks[r]->put("table", bytes(size, std::byte(r + 1))) == AM_OK);
  fence(ranks);
  bytes got;
  for (auto& rank : ranks) {
    for (am_rank r = 0; r < 8; ++r) {
      REQUIRE(rank->get(r, "table", got) == AM_OK);
      CHECK(got == bytes(size, std::byte(r + 1)));
    }
  }
  leave(ranks);
}

TEST_CASE("what is too large is refused with both sizes, before it is sent") {
  server_thread am_run(1);
  auto ranks = am_run.join_all();
  CHECK(ranks[0]->put(std::string(256, 'k'), {}) == AM_ARGUMENT_SIZE);
  CHECK(ranks[0]->put("big", bytes(boot::most_fence_bytes)) == AM_ARGUMENT_SIZE);
  CHECK(std::string(base::error_text()).find(std::to_string(boot::most_fence_bytes)) !=
        std::string::npos);
  REQUIRE(ranks[0]->put("big", bytes(boot::most_fence_bytes - 100)) == AM_OK);
  fence(ranks);
  leave(ranks);
}

TEST_CASE("join, leave, join again: a new epoch with new memory and no keys") {
  server_thread am_run(2);
  for (int epoch = 0; epoch < 5; ++epoch) {
    auto ranks = am_run.join_all();
    std::vector<base::shared_memory> memories(2);
    for (am_rank r = 0; r < 2; ++r)
      REQUIRE(ranks[r]->share_memory((1U << 16) << epoch, 0, memories[r]) == AM_OK);
    bytes got;
    CHECK(ranks[0]->get(1, "key", got) == AM_ARGUMENT_SETTING);
    REQUIRE(ranks[1]->put("key", bytes_of("value")) == AM_OK);
    fence(ranks);
    CHECK(ranks[0]->get(1, "key", got) == AM_OK);
    leave(ranks);
  }
}

TEST_CASE("a rank may be in the next epoch while another has not left the last") {
  server_thread am_run(2);
  auto ranks = am_run.join_all();
  fence(ranks);
  ranks[0]->leave();
  ranks[0].reset();
  ranks[0] = am_run.join(0);
  REQUIRE(ranks[0]->put("epoch", bytes_of("two")) == AM_OK);
  REQUIRE(ranks[0]->start_fence() == AM_OK);
  ranks[1]->leave();
  ranks[1].reset();
  ranks[1] = am_run.join(1);
  REQUIRE(ranks[1]->start_fence() == AM_OK);
  REQUIRE(finish_fence(*ranks[1]) == AM_OK);
  REQUIRE(finish_fence(*ranks[0]) == AM_OK);
  bytes got;
  CHECK(ranks[1]->get(0, "epoch", got) == AM_OK);
  leave(ranks);
}

TEST_CASE("a rank is at most one join ahead of the others") {
  server_thread am_run(2);
  auto other = am_run.join(1);
  for (int join = 1; join <= 2; ++join) {
    raw_client hasty(am_run.join_socket(0), boot::protocol_version);
    REQUIRE(hasty.receive_frame()->first == boot::frame_kind::welcome);
    hasty.send(boot::make_frame(boot::frame_kind::leave, ""));
    CHECK(hasty.is_closed());
  }
  raw_client hasty(am_run.join_socket(0), boot::protocol_version);
  CHECK(am_run.wait_for_event(
      "failed a rank begins join 3, and not all have left join 1: it does not keep to the protocol "
      "of am-run"));
  other->leave();
}

TEST_CASE("only one process of each rank may be in the job at a time") {
  server_thread am_run(2);
  auto first = am_run.join(1);
  std::string why;
  CHECK(am_run.join(1, &why) == nullptr);
  CHECK(why.find("rank 1 has already joined as process " + std::to_string(::getpid())) !=
        std::string::npos);
  REQUIRE(first->start_fence() == AM_OK);
  CHECK(first->fence_done() == AM_AGAIN_CONNECTING);
  first->leave();
}

TEST_CASE("a rank that disconnects without leaving is lost") {
  server_thread am_run(2);
  auto rank = am_run.join(1);
  rank.reset();
  CHECK(am_run.wait_for_event("lost 1"));
}

TEST_CASE("a hello of another version is refused with both versions") {
  server_thread am_run(1);
  raw_client odd(am_run.join_socket(0), 77);
  const auto answer = odd.receive_frame();
  REQUIRE(answer);
  CHECK(answer->first == boot::frame_kind::refused);
  CHECK(answer->second.find("77") != std::string::npos);
  CHECK(answer->second.find(std::to_string(boot::protocol_version)) != std::string::npos);
}

TEST_CASE("an invalid frame ends its connection, and nothing else") {
  using boot::frame_kind;
  using boot::make_frame;
  const std::string cases[] = {
      make_frame(frame_kind{99}, "x"),
      make_frame(frame_kind::notify, std::string(31, '\0')),
      make_frame(frame_kind::notify, std::string(32, '\0')) +
          make_frame(frame_kind::notify, std::string(32, '\0')),
      make_frame(frame_kind::welcome, "x"),
      make_frame(frame_kind::abort, "abc"),
      make_frame(frame_kind::fence, "") + make_frame(frame_kind::fence, ""),
      std::string("\xff\xff\xff\xff\x03\x00\x00\x00", 8),
  };
  for (const std::string& invalid : cases) {
    server_thread am_run(2);
    auto good = am_run.join(0);
    raw_client odd(am_run.join_socket(1), boot::protocol_version);
    REQUIRE(odd.receive_frame()->first == frame_kind::welcome);
    odd.send(invalid);
    CHECK(am_run.wait_for_event("lost 1"));
    CHECK(odd.is_closed());
    REQUIRE(good->start_fence() == AM_OK);
    // A fence that was entered before the invalid frame counts, so this one may have passed.
    if (!invalid.starts_with(make_frame(frame_kind::fence, "")))
      CHECK(good->fence_done() == AM_AGAIN_CONNECTING);
    good->leave();
  }
}

TEST_CASE("frames that arrive in single bytes are read") {
  server_thread am_run(1);
  raw_client slow(am_run.join_socket(0), boot::protocol_version);
  REQUIRE(slow.receive_frame()->first == boot::frame_kind::welcome);
  std::string body;
  seam::add_blob(body, "key", {});
  for (const char byte : boot::make_frame(boot::frame_kind::fence, body))
    slow.send(std::string_view(&byte, 1));
  CHECK(slow.receive_frame()->first == boot::frame_kind::fenced);
  slow.send(boot::make_frame(boot::frame_kind::leave, ""));
  CHECK(slow.is_closed());
  CHECK(!am_run.has_event("lost 0"));
}

TEST_CASE("an abort has its status and its text") {
  server_thread am_run(1);
  raw_client dying(am_run.join_socket(0), boot::protocol_version);
  REQUIRE(dying.receive_frame()->first == boot::frame_kind::welcome);
  std::string body;
  seam::add_number(body, 42);
  dying.send(boot::make_frame(boot::frame_kind::abort, body + "no more"));
  CHECK(am_run.wait_for_event("aborted 0 42 no more"));
}

TEST_CASE("the rank that holds up a fence is reported after a while") {
  server_thread am_run(4);
  auto one = am_run.join(1);
  auto three = am_run.join(3);
  REQUIRE(one->start_fence() == AM_OK);
  REQUIRE(three->start_fence() == AM_OK);
  am_run.advance_stalls();
  CHECK(am_run.wait_for_event(
      "stalled 2 of 4 ranks have waited for 30 s, in a join, a fence or close, for all "
      "others; still to come: 0, 2"));
  one->leave();
  three->leave();
}

// Core against the recording transport, message by message: what it sends, when it refreshes
// credits, how it handles what it receives.
#include "four_rank_endpoint.hpp"

namespace protocol_core {

using am_test::entry;
using am_test::recording_transport;
using am_test::words4;

namespace {

struct fixture : am_test::four_rank_endpoint {
  explicit fixture(std::uint32_t window = 4) : four_rank_endpoint(window) {}
  am_status request(am_rank to, const am_handler* handler, am_word w0 = 0) {
    return am_ep_request(raw, to, handler, w0, 2, 3, 4);
  }
  am_status try_request(am_rank to, const am_handler* handler, am_word w0 = 0) {
    return am_ep_try_request(raw, to, handler, w0, 2, 3, 4);
  }
};

// ---- handlers ----

struct handled_counts {
  unsigned silents = 0;
  unsigned replies = 0;
  am_word last = 0;
  std::size_t bytes = 0;
};
handled_counts handled;

void on_reply(am::reply_token, am::word w) {
  ++handled.replies;
  handled.last = w;
}
void on_silent(am::request_token, am::word w) {
  ++handled.silents;
  handled.last = w;
}
void replying_handler(am::request_token t, am::word w) { t.reply<on_reply>(w + 1); }
void on_medium(am::request_token, std::span<const std::byte> data, am::word w) {
  ++handled.silents;
  handled.bytes = data.size();
  handled.last = w;
}

struct returned_requests {
  unsigned count = 0;
  am_returned last{};
};
returned_requests returned;
void on_undeliverable(am_token, const am_returned* message, void*) {
  ++returned.count;
  returned.last = *message;
}

}  // namespace

TEST_CASE_FIXTURE(fixture, "a peer is connected once, with the first request") {
  CHECK(wire->connects.empty());
  CHECK(request(2, entry<on_silent>(), 7) == AM_OK);
  CHECK(request(2, entry<on_silent>(), 8) == AM_OK);
  CHECK(try_request(3, entry<on_silent>(), 9) == AM_OK);
  CHECK(wire->connects == std::map<am_rank, unsigned>{{2, 1}, {3, 1}});
  REQUIRE(wire->requests.size() == 3);
  CHECK(wire->requests[0].to == 2);
  CHECK(wire->requests[0].handler == entry<on_silent>()->id);
  CHECK(wire->requests[0].words == words4{7, 2, 3, 4});
  CHECK(wire->requests[2].to == 3);
}

TEST_CASE_FIXTURE(fixture,
                  "a peer that no transport reaches is peer(unreachable), with the reason") {
  wire->unreachable = "the cable is cut";
  CHECK(request(1, entry<on_silent>()) == AM_PEER_UNREACHABLE);
  CHECK(std::string(am_error_text()).find("the cable is cut") != std::string::npos);
  CHECK(try_request(1, entry<on_silent>()) == AM_PEER_UNREACHABLE);
  CHECK(wire->requests.empty());
}

TEST_CASE(
    "a window of W allows W requests in flight; credits are refreshed only when none is free") {
  for (const std::uint32_t window : {1U, 2U, 5U}) {
    fixture f(window);
    for (std::uint32_t i = 0; i < window; ++i) {
      REQUIRE(f.try_request(1, entry<on_silent>()) == AM_OK);
      // The first call finds no port, and so no credit.
      REQUIRE(f.wire->refreshes[1] <= 1);
    }
    const unsigned before = f.wire->refreshes[1];
    CHECK(f.try_request(1, entry<on_silent>()) == AM_AGAIN_CREDIT);
    CHECK(f.wire->refreshes[1] == before + 1);
    CHECK(f.try_request(1, entry<on_silent>()) == AM_AGAIN_CREDIT);
    CHECK(f.wire->requests.size() == window);
    // The window of another peer is separate.
    CHECK(f.try_request(2, entry<on_silent>()) == AM_OK);
  }
}

TEST_CASE("a credit is free again after the handler of the reply has run") {
  fixture f(1);
  handled = {};
  REQUIRE(f.try_request(1, entry<replying_handler>()) == AM_OK);
  REQUIRE(f.try_request(1, entry<replying_handler>()) == AM_AGAIN_CREDIT);
  // Receive its reply.
  f.wire->receive_reply(1, entry<on_reply>()->id, {42, 0, 0, 0});
  // Expect that a try_ call runs no handler, and so finds no credit yet.
  CHECK(f.try_request(1, entry<replying_handler>()) == AM_AGAIN_CREDIT);
  CHECK(handled.replies == 0);
  CHECK(f.poll() == 1);
  CHECK(handled.replies == 1);
  CHECK(handled.last == 42);
  CHECK(f.wire->credits_to(1).free() == 1);
  CHECK(f.try_request(1, entry<replying_handler>()) == AM_OK);
}

TEST_CASE("the credit of a silent request is free again when the counter is read") {
  fixture f(2);
  REQUIRE(f.try_request(1, entry<on_silent>()) == AM_OK);
  REQUIRE(f.try_request(1, entry<on_silent>()) == AM_OK);
  REQUIRE(f.try_request(1, entry<on_silent>()) == AM_AGAIN_CREDIT);
  // The target publishes that one of them was silent.
  f.wire->silent[1] = 1;
  CHECK(f.try_request(1, entry<on_silent>()) == AM_OK);
  CHECK(f.try_request(1, entry<on_silent>()) == AM_AGAIN_CREDIT);
  CHECK(f.wire->requests.size() == 3);
}

TEST_CASE("the counter of silent requests may wrap at 16 and at 32 bits") {
  for (const std::uint32_t start : {0xfffeU, 0xffffU, 0xfffffffeU, 0xffffffffU}) {
    fixture f(3);
    REQUIRE(f.try_request(1, entry<on_silent>()) == AM_OK);
    auto& credits = f.wire->credits_to(1);
    // As after that many silent requests: none in flight, the counter at `start`.
    credits.book_silent(start);
    (void)credits.shut();
    credits.raise_limit(3);
    f.wire->silent[1] = start;
    for (std::uint32_t sent = 0; sent < 30; ++sent) {
      REQUIRE(f.try_request(1, entry<on_silent>()) == AM_OK);
      if (sent % 3 == 2) {
        REQUIRE(f.try_request(1, entry<on_silent>()) == AM_AGAIN_CREDIT);
        f.wire->silent[1] += 3;
      }
    }
    CHECK(f.wire->requests.size() == 31);
  }
}

TEST_CASE("a request that waits for a credit polls, and handles messages") {
  fixture f(1);
  handled = {};
  REQUIRE(f.request(1, entry<replying_handler>()) == AM_OK);
  // Receive a request, then the reply that returns the credit.
  f.wire->receive_request(2, entry<replying_handler>()->id, {10, 0, 0, 0});
  f.wire->receive_request(3, entry<on_silent>()->id, {11, 0, 0, 0});
  f.wire->receive_reply(1, entry<on_reply>()->id, {12, 0, 0, 0});
  REQUIRE(f.request(1, entry<replying_handler>()) == AM_OK);
  // Expect an answer to the first, silence to the second, and the second request sent.
  REQUIRE(f.wire->replies.size() == 1);
  CHECK(f.wire->replies[0].to == 2);
  CHECK(f.wire->replies[0].words[0] == 11);
  CHECK(f.wire->silent_here == std::map<am_rank, std::uint32_t>{{3, 1}});
  CHECK(handled.silents == 1);
  CHECK(f.wire->requests.size() == 2);
  // And expect that the statistics count all of it.
  am_traffic with{};
  REQUIRE(am_ep_stats_with(f.raw, 1, &with, sizeof with) == AM_OK);
  CHECK(with.waits == 1);
  CHECK(with.requests == 2);
  CHECK(with.answers == 1);
}

TEST_CASE("a call that waits through many polls counts as one wait") {
  fixture f(1);
  REQUIRE(f.request(1, entry<replying_handler>()) == AM_OK);
  // More messages than one poll delivers, then the credit.
  for (am_word w = 0; w < 200; ++w)
    f.wire->receive_request(2, entry<on_silent>()->id, {w, 0, 0, 0});
  f.wire->receive_reply(1, entry<on_reply>()->id, {0, 0, 0, 0});
  REQUIRE(f.request(1, entry<replying_handler>()) == AM_OK);
  am_traffic with{};
  REQUIRE(am_ep_stats_with(f.raw, 1, &with, sizeof with) == AM_OK);
  CHECK(with.waits == 1);
}

TEST_CASE("the number of requests sent follows from the credits, however these are returned") {
  fixture f(2);
  for (unsigned i = 0; i < 1000; ++i) {
    if (i % 3 == 0) f.wire->receive_reply(1, entry<on_reply>()->id, {0, 0, 0, 0});
    if (i % 3 == 1) ++f.wire->silent[1];
    if (i % 3 != 2) REQUIRE(f.request(1, entry<on_silent>()) == AM_OK);
    f.poll();
    f.wire->credits_to(1).book_silent(f.wire->silent[1]);
  }
  am_traffic with{};
  REQUIRE(am_ep_stats_with(f.raw, 1, &with, sizeof with) == AM_OK);
  CHECK(with.requests == f.wire->requests.size());
}

TEST_CASE("each request checks for messages once; a try_ call does not") {
  fixture f(64);
  handled = {};
  const std::byte data[8] = {};
  for (unsigned i = 0; i < 20; ++i)
    f.wire->receive_request(2, entry<on_silent>()->id, {i, 0, 0, 0});
  REQUIRE(f.try_request(1, entry<on_silent>()) == AM_OK);
  REQUIRE(am_ep_try_request_medium(f.raw, 1, entry<on_medium>(), data, 8, 0, 0, 0, 0) == AM_OK);
  CHECK(f.wire->poll_once_calls == 0);
  CHECK(handled.silents == 0);
  REQUIRE(f.request(1, entry<on_silent>()) == AM_OK);
  CHECK(f.wire->poll_once_calls == 1);
  CHECK(handled.silents == 8);
  REQUIRE(am_ep_request_medium(f.raw, 1, entry<on_medium>(), data, 8, 0, 0, 0, 0) == AM_OK);
  CHECK(f.wire->poll_once_calls == 2);
  CHECK(handled.silents == 16);
  CHECK(f.wire->polls == 0);
}

TEST_CASE("the requests of a run do not check, and a run does not include the last credit") {
  fixture f(7);
  f.wire->run_length = 3;
  const auto send = [&](am_word w) { REQUIRE(f.request(1, entry<on_silent>(), w) == AM_OK); };
  for (am_word w = 0; w < 7; ++w) send(w);
  CHECK(f.wire->requests.size() == 7);
  CHECK(f.wire->poll_once_calls ==
        3);  // the first, the fifth, and the last, which follows a run of 1
  CHECK(f.wire->in_runs == 4);
  for (am_word w = 0; w < 7; ++w) CHECK(f.wire->requests[w].words == words4{w, 2, 3, 4});
  CHECK(f.try_request(1, entry<on_silent>()) == AM_AGAIN_CREDIT);
}

TEST_CASE_FIXTURE(fixture, "poll runs at most its budget, in the order of arrival") {
  handled = {};
  for (unsigned i = 1; i <= 5; ++i) wire->receive_request(1, entry<on_silent>()->id, {i, 0, 0, 0});
  CHECK(poll(2) == 2);
  CHECK(handled.last == 2);
  CHECK(poll(2) == 2);
  CHECK(poll(2) == 1);
  CHECK(handled.last == 5);
  CHECK(poll(2) == 0);
}

TEST_CASE_FIXTURE(fixture,
                  "a request with an unknown handler id is returned as argument(handler)") {
  handled = {};
  for (const std::uint32_t bad : {0xfffeU, 0xffffU}) wire->receive_request(3, bad, {1, 2, 3, 4});
  CHECK(poll() == 2);
  REQUIRE(wire->replies.size() == 2);
  for (const auto& answer : wire->replies) {
    CHECK(answer.to == 3);
    CHECK(answer.reason == AM_ARGUMENT_HANDLER);
    CHECK(answer.words == words4{1, 2, 3, 4});
  }
  CHECK(wire->replies[0].handler == 0xfffe);
  // The answer returns its credit; it is not counted as silent as well.
  CHECK(wire->silent_here.empty());
}

TEST_CASE(
    "a request that is returned to this rank runs the undeliverable handler and frees its credit") {
  fixture f(1);
  returned = {};
  am_ep_on_undeliverable(f.raw, on_undeliverable, nullptr);
  REQUIRE(f.request(2, entry<on_silent>(), 9) == AM_OK);
  f.wire->receive_returned(2, AM_ARGUMENT_HANDLER, entry<on_silent>()->id, {9, 2, 3, 4});
  CHECK(f.poll() == 1);
  CHECK(returned.count == 1);
  CHECK(returned.last.rank == 2);
  CHECK(returned.last.reason == AM_ARGUMENT_HANDLER);
  CHECK(returned.last.unknown == 0);
  CHECK(returned.last.words[0] == 9);
  CHECK(returned.last.words[3] == 4);
  CHECK(f.try_request(2, entry<on_silent>()) == AM_OK);
}

TEST_CASE("no room for a payload: again(payload), and the credit is not used up") {
  fixture f(2);
  const std::byte data[100] = {};
  f.wire->payload_status = AM_AGAIN_PAYLOAD;
  const auto try_medium = [&] {
    return am_ep_try_request_medium(f.raw, 1, entry<on_medium>(), data, sizeof data, 1, 2, 3, 4);
  };
  for (unsigned i = 0; i < 5; ++i) CHECK(try_medium() == AM_AGAIN_PAYLOAD);
  CHECK(f.wire->requests.empty());
  CHECK(f.wire->credits_to(1).free() == 2);
  f.wire->payload_status = AM_OK;
  CHECK(try_medium() == AM_OK);
  CHECK(try_medium() == AM_OK);
  CHECK(try_medium() == AM_AGAIN_CREDIT);
  REQUIRE(f.wire->requests.size() == 2);
  CHECK(f.wire->requests[0].payload.size() == sizeof data);
  CHECK(f.wire->requests[0].words == words4{1, 2, 3, 4});
}

TEST_CASE("a permanent error with a payload is returned, and nothing is sent") {
  fixture f(2);
  f.wire->payload_status = AM_RESOURCE_SPACE;
  CHECK(am_ep_request_medium(f.raw, 1, entry<on_medium>(), "x", 1, 0, 0, 0, 0) ==
        AM_RESOURCE_SPACE);
  CHECK(f.wire->credits_to(1).free() == 2);
}

TEST_CASE_FIXTURE(fixture, "a medium request runs its handler with words and bytes") {
  handled = {};
  wire->receive_request(1, entry<on_medium>()->id, {5, 0, 0, 0}, std::vector<std::byte>(33));
  CHECK(poll() == 1);
  CHECK(handled.bytes == 33);
  CHECK(handled.last == 5);
  CHECK(wire->silent_here[1] == 1);
}

TEST_CASE("a message after a fence is sent behind every piece of the stores before it") {
  fixture f(16);
  std::vector<std::byte> data(2 * AM_MIN_MAX_MEDIUM + 1);
  std::vector<std::byte> place(data.size());
  void* const there = place.data();
  CHECK(am_ep_store(f.raw, 1, there, data.data(), data.size(), entry<on_medium>(), 5, 6, 7, 8) ==
        AM_OK);
  CHECK(am_ep_fence(f.raw, 1) == AM_OK);
  CHECK(f.request(1, entry<on_silent>(), 9) == AM_OK);
  REQUIRE(f.wire->requests.size() == 4);
  CHECK(f.wire->requests[0].payload.size() == AM_MIN_MAX_MEDIUM);
  CHECK(f.wire->requests[1].payload.size() == AM_MIN_MAX_MEDIUM);
  CHECK(f.wire->requests[2].words == words4{5, 6, 7, 8});
  CHECK(f.wire->requests[3].words == words4{9, 2, 3, 4});
  f.wire->begin_status = am::detail::seam::transfer_status::done;
  CHECK(am_ep_store(f.raw, 1, there, data.data(), data.size(), entry<on_medium>(), 5, 6, 7, 8) ==
        AM_OK);
  CHECK(am_ep_fence(f.raw, 1) == AM_OK);
  CHECK(f.request(1, entry<on_silent>(), 10) == AM_OK);
  REQUIRE(f.wire->requests.size() == 6);
  CHECK(f.wire->requests[4].bulk == std::pair<void*, std::size_t>{there, data.size()});
  CHECK(f.wire->requests[5].words == words4{10, 2, 3, 4});
}

TEST_CASE_FIXTURE(fixture, "bad arguments do not reach the transport") {
  CHECK(request(4, entry<on_silent>()) == AM_ARGUMENT_RANK);
  CHECK(request(1, nullptr) == AM_ARGUMENT_HANDLER);
  CHECK(am_ep_request_medium(raw, 1, entry<on_medium>(), "x", AM_MIN_MAX_MEDIUM + 1, 0, 0, 0, 0) ==
        AM_ARGUMENT_SIZE);
  CHECK(am_ep_request_medium(raw, 1, entry<on_medium>(), nullptr, 1, 0, 0, 0, 0) ==
        AM_ARGUMENT_ADDRESS);
  CHECK(wire->connects.empty());
  CHECK(wire->requests.empty());
}

TEST_CASE("close waits for every answer, and handles messages meanwhile") {
  fixture f(4);
  handled = {};
  REQUIRE(f.request(1, entry<replying_handler>()) == AM_OK);
  REQUIRE(f.request(2, entry<on_silent>()) == AM_OK);
  f.wire->receive_request(3, entry<on_silent>()->id, {1, 0, 0, 0});
  f.wire->receive_reply(1, entry<on_reply>()->id, {2, 0, 0, 0});
  f.wire->silent[2] = 1;
  const unsigned fences = f.job->fences;
  am_ep* closing = std::exchange(f.raw, nullptr);
  CHECK(am_ep_close(closing) == AM_OK);
  CHECK(fences > 0);
  CHECK(handled.silents == 1);
  CHECK(handled.replies == 1);
  CHECK(recording_transport::last == nullptr);
  // Requests that are left complete, and touch nothing else.
  CHECK(am_ep_request(closing, 1, entry<on_silent>(), 0, 0, 0, 0) == AM_USAGE_LEFT);
  CHECK(am_ep_poll(closing, 0, nullptr) == AM_USAGE_LEFT);
  CHECK(am_ep_close(closing) == AM_USAGE_LEFT);
}

TEST_CASE("a rank that has refreshed credits does not sleep with a credit it has not reported") {
  am::detail::base::settings settings;
  settings.wait = am::detail::base::wait_mode::block;
  settings.stall_warn = std::chrono::seconds(1);
  settings.log = am::detail::base::log_level::none;
  am_test::four_rank_endpoint here(1, settings);
  CHECK(am_ep_request(here.raw, 1, entry<on_silent>(), 1, 2, 3, 4) == AM_OK);
  here.poll();
  here.wire->silent_after_poll = 1;
  const auto asked = [](void* wire) -> int {
    return static_cast<recording_transport*>(wire)->silent_after_poll == 0;
  };
  CHECK(am_ep_wait(here.raw, asked, here.wire) == AM_OK);
  CHECK(here.wire->arms != 0);
  CHECK(here.wire->arms_with_new_credits == 0);
}

}  // namespace protocol_core

// Posted functions in calls that block, against the recording transport: where they run, where they
// do not, and what they may do to the call that runs them.
#include "four_rank_endpoint.hpp"

#include <libam/core/library_handlers.hpp>

#include <am/team.h>

#include <functional>
#include <string>
#include <vector>

namespace protocol_posted {

using am::detail::seam::transfer_status;
using am_test::entry;
namespace core = am::detail::core;

namespace {

constexpr std::size_t large = 2 * AM_MIN_MAX_MEDIUM + 100;

am_test::recording_transport* answering_wire = nullptr;  // completes all that is sent over it
unsigned handled = 0;
void on_request(am::request_token, am::word) { ++handled; }
void on_bytes(am::request_token, std::span<const std::byte>, am::word) {}
void on_store(am::request_token, void*, std::size_t, am::word) {}
void on_end(am::reply_token, void*, std::size_t, am::word) {}

// Runs in every poll.
void answer_all(am::request_token) {
  answering_wire->silent[1] = static_cast<std::uint32_t>(answering_wire->requests.size());
  answering_wire->receive_request(2, entry<answer_all>()->id, {});
}

struct posting : am_test::four_rank_endpoint {
  explicit posting(std::uint32_t window = 1, const am::detail::base::settings& settings = {})
      : four_rank_endpoint(window, settings) {
    handled = 0;
  }

  void post(std::function<void()> f) {
    const auto run = [](void* arg) {
      const std::unique_ptr<std::function<void()>> it(static_cast<std::function<void()>*>(arg));
      (*it)();
    };
    REQUIRE(am_ep_post(raw, run, new std::function<void()>(std::move(f))) == AM_OK);
  }
  am_status request(am_word number, am_rank to = 1) {
    return am_ep_request(raw, to, entry<on_request>(), number, 0, 0, 0);
  }
  am_status medium(am_word number) {
    return am_ep_request_medium(raw, 1, entry<on_bytes>(), here.data(), 10, number, 0, 0, 0);
  }
  am_status store(am_word number, std::size_t bytes) {
    return am_ep_store(raw, 1, there.data(), here.data(), bytes, entry<on_store>(), number, 0, 0,
                       0);
  }
  am_status store_async(am_word number) {
    return am_ep_store_async(raw, 1, there.data(), here.data(), 10, entry<on_store>(), number, 0, 0,
                             0, entry<on_end>(), 0);
  }
  void fill_window() {
    while (am_ep_try_request(raw, 1, entry<on_request>(), 99, 0, 0, 0) == AM_OK) {
    }
  }
  void return_credits(std::uint32_t count = 1) { wire->silent[1] += count; }
  void close_now() {
    return_credits();
    CHECK(am_ep_close(raw) == AM_OK);
    left = true;
  }
  // The endpoint ended during this call, by a posted function.
  void expect_left(am_status result) {
    CHECK(left);
    CHECK(result == AM_USAGE_LEFT);
    CHECK(std::string(am_error_text()).find("left its job") != std::string::npos);
    raw = nullptr;
  }

  bool left = false;
  std::vector<std::byte> there = std::vector<std::byte>(large, std::byte{7});
  std::vector<std::byte> here = std::vector<std::byte>(large);
};

}  // namespace

TEST_CASE("a request, a medium and a store that wait for a credit run posted functions") {
  for (const auto& send : std::vector<std::function<am_status(posting&)>>{
           [](posting& f) { return f.request(7); }, [](posting& f) { return f.medium(7); },
           [](posting& f) { return f.store(7, 10); }}) {
    posting f;
    f.fill_window();
    f.post([&] { f.return_credits(); });
    CHECK(send(f) == AM_OK);
    REQUIRE(f.wire->requests.size() == 2);
    CHECK(f.wire->requests[1].words[0] == 7);
  }
}

TEST_CASE_FIXTURE(posting, "one function runs in each round, with a poll between") {
  fill_window();
  std::vector<unsigned> polls;
  for (int i = 0; i < 3; ++i) post([&] { polls.push_back(wire->polls); });
  post([&] { return_credits(); });
  REQUIRE(request(7) == AM_OK);
  REQUIRE(polls.size() == 3);
  CHECK(polls[1] == polls[0] + 1);
  CHECK(polls[2] == polls[1] + 1);
}

TEST_CASE_FIXTURE(posting, "a posted function may take the credit that its caller waits for") {
  fill_window();
  post([&] {
    return_credits();
    REQUIRE(request(1) == AM_OK);
    post([&] { return_credits(); });
  });
  REQUIRE(request(2) == AM_OK);
  REQUIRE(wire->requests.size() == 3);
  CHECK(wire->requests[1].words[0] == 1);
  CHECK(wire->requests[2].words[0] == 2);
  CHECK(wire->credits_to(1).free() == 0);
  CHECK(wire->credits_to(1).in_flight() == 1);
}

TEST_CASE_FIXTURE(posting, "a store that began in a posted function goes first") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{20}}) {
    CAPTURE(bytes);
    fill_window();
    wire->requests.clear();
    wire->payload_status = AM_AGAIN_PAYLOAD;
    post([&] {
      REQUIRE(store_async(1) == AM_OK);
      return_credits();
    });
    post([&] {
      CHECK(wire->requests.empty());
      wire->payload_status = AM_OK;
      post([&] { return_credits(); });
    });
    REQUIRE(store(2, bytes) == AM_OK);
    REQUIRE(wire->requests.size() == 2);
    CHECK(wire->requests[0].payload.size() > 10);
    CHECK(wire->requests[1].payload.size() != wire->requests[0].payload.size());
    return_credits();
  }
}

TEST_CASE_FIXTURE(posting,
                  "no function runs in a call of another one, or in a call of a wait's condition") {
  fill_window();
  bool inside = false;
  bool second = false;
  wire->silent_after_poll = 1;
  post([&] {
    inside = true;
    REQUIRE(request(1) == AM_OK);  // blocks
    CHECK(am_ep_flush(raw) == AM_OK);
    inside = false;
  });
  post([&] {
    CHECK(!inside);
    second = true;
    return_credits();
  });
  REQUIRE(request(2) == AM_OK);
  CHECK(second);
  bool in_done = false;
  post([&] { CHECK(!in_done); });
  std::function<int()> done = [&] {
    in_done = true;
    wire->silent_after_poll = 1;
    CHECK(request(3) == AM_OK);
    in_done = false;
    return 1;
  };
  const auto is_done = [](void* arg) { return (*static_cast<std::function<int()>*>(arg))(); };
  CHECK(am_ep_wait(raw, is_done, &done) == AM_OK);
  poll();
}

TEST_CASE(
    "a posted close in a blocked call: the call is usage(left), and nothing else is touched") {
  const auto around_close = [](const std::function<am_status(posting&)>& call) {
    posting f;
    f.fill_window();
    f.post([&] { f.close_now(); });
    f.expect_left(call(f));
  };
  around_close([](posting& f) { return f.request(7); });
  around_close([](posting& f) { return f.medium(7); });
  around_close([](posting& f) { return f.store(7, 10); });
  around_close([](posting& f) {
    CHECK(f.store_async(7) == AM_OK);  // waits for the credit
    f.return_credits();
    return am_ep_flush(f.raw);
  });
  around_close([](posting& f) { return am_ep_barrier(f.raw); });
  around_close([](posting& f) { return am_ep_wait_any(f.raw, 0, INT64_MAX, nullptr); });
}

TEST_CASE_FIXTURE(posting, "a posted close in a fence to one rank: usage(left)") {
  wire->begin_status = transfer_status::under_way;
  REQUIRE(store_async(7) == AM_OK);
  post([&] {
    wire->end_status = transfer_status::done;
    close_now();
  });
  expect_left(am_ep_fence(raw, 1));
}

TEST_CASE("a store whose bytes are under way runs no function, by either path") {
  SUBCASE("a transfer") {
    posting f;
    bool ran = false;
    f.wire->begin_status = transfer_status::under_way;
    f.wire->end_status = transfer_status::done;
    f.wire->polls_until_end = 20;
    f.post([&] { ran = true; });
    REQUIRE(f.store(1, large) == AM_OK);
    CHECK(!ran);
    f.poll();
    CHECK(ran);
  }
  SUBCASE("pieces: the messages of two stores to a rank do not mix") {
    posting f;
    answering_wire = f.wire;
    f.wire->receive_request(2, entry<answer_all>()->id, {});
    f.post([&] { CHECK(f.store(2, large) == AM_OK); });
    REQUIRE(f.store(1, large) == AM_OK);
    f.poll();
    REQUIRE(f.wire->requests.size() == 6);
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(f.wire->requests[i].handler ==
            (i % 3 == 2 ? core::store_handler.id : core::piece_handler.id));
    CHECK(f.wire->requests[2].words[0] == 1);
    CHECK(f.wire->requests[5].words[0] == 2);
  }
}

TEST_CASE("a fence of all ranks runs posted functions") {
  using call = am_status (*)(am_ep*);
  for (const call fence : {call{am_job_fence}, call{am_ep_update_handlers}, call{[](am_ep* ep) {
                             am_seg* made = nullptr;
                             const am_status status = am_seg_create_all(ep, 8, &made);
                             am_seg_destroy(made);
                             return status;
                           }}}) {
    posting f;
    bool ran = false;
    f.job->in_fence = [&] { return ran ? AM_OK : AM_AGAIN_CONNECTING; };
    f.post([&] {
      ran = true;
      CHECK(f.request(1) == AM_OK);
    });
    CHECK(fence(f.raw) == AM_OK);
    CHECK(f.wire->requests.size() == 1);
  }
}

TEST_CASE("a fence does not sleep where something was posted right before") {
  am::detail::base::settings settings;
  settings.wait = am::detail::base::wait_mode::block;
  posting f(1, settings);
  bool ran = false;
  unsigned fence_checks = 0;
  f.job->in_fence = [&] { return ran ? AM_OK : AM_AGAIN_CONNECTING; };
  f.job->before_sleep = [&] {
    if (++fence_checks == 1) f.post([&] { ran = true; });
  };
  CHECK(am_job_fence(f.raw) == AM_OK);
  CHECK(fence_checks == 1);
  CHECK(f.wire->arms == 0);
}

TEST_CASE_FIXTURE(posting,
                  "while handlers are numbered no message is handled, and no function runs") {
  const unsigned before = job->fences;
  bool ran = false;
  std::map<unsigned, unsigned> turns;  // by fence
  job->in_fence = [&] {
    if (job->fences == before + 1) return AM_OK;
    if (turns.empty()) post([&] { ran = true; });
    return ++turns[job->fences] < 50 ? AM_AGAIN_CONNECTING : AM_OK;
  };
  CHECK(am_ep_update_handlers(raw) == AM_OK);
  CHECK(job->fences == before + 3);
  CHECK(!ran);
  poll();
  CHECK(ran);
}

TEST_CASE_FIXTURE(posting, "in a fence of all ranks another one is refused: usage(in_handler)") {
  bool ran = false;
  const unsigned before = job->fences;
  job->in_fence = [&] { return ran ? AM_OK : AM_AGAIN_CONNECTING; };
  post([&] {
    am_seg* made = nullptr;
    for (const am_status result : {am_job_fence(raw), am_ep_update_handlers(raw),
                                   am_seg_create_all(raw, 8, &made), am_ep_close(raw)}) {
      CHECK(result == AM_USAGE_IN_HANDLER);
      CHECK(std::string(am_error_text()).find("one fence at a time") != std::string::npos);
    }
    ran = true;
  });
  CHECK(am_job_fence(raw) == AM_OK);
  CHECK(job->fences == before + 1);
  post([&] { CHECK(am_job_fence(raw) == AM_OK); });
  poll();
  CHECK(job->fences == before + 2);
}

TEST_CASE_FIXTURE(posting,
                  "a posted function that abandons the endpoint in a fence ends the fence") {
  job->in_fence = [] { return AM_AGAIN_CONNECTING; };
  post([&] {
    am_ep_abandon(raw);
    left = true;
  });
  expect_left(am_job_fence(raw));
}

TEST_CASE_FIXTURE(posting, "a collective of a team within another one of it: usage(in_handler)") {
  am_status inner = AM_OK;
  post([&] {
    inner = am_ep_barrier(raw);
    CHECK(std::string(am_error_text()).find("of the same team") != std::string::npos);
    close_now();
  });
  expect_left(am_ep_barrier(raw));
  CHECK(inner == AM_USAGE_IN_HANDLER);
}

// ---- wait_any ----

TEST_CASE_FIXTURE(posting, "wait_any returns when something has run, and keeps to its budget") {
  const auto receive = [&](unsigned count) {
    for (unsigned i = 0; i < count; ++i) wire->receive_request(2, entry<on_request>()->id, {});
  };
  unsigned ran = 0;
  receive(3);
  CHECK(am_ep_wait_any(raw, 1, INT64_MAX, &ran) == AM_OK);
  CHECK(ran == 1);
  CHECK(handled == 1);
  CHECK(am_ep_wait_any(raw, 0, INT64_MAX, &ran) == AM_OK);
  CHECK(ran == 2);
  CHECK(am_ep_wait_any(raw, 0, -1, &ran) == AM_AGAIN_TIME);
  CHECK(ran == 0);
  const unsigned before = wire->polls;
  CHECK(am_ep_wait_any(raw, 0, 1000, nullptr) == AM_AGAIN_TIME);
  CHECK(wire->polls > before + 1);
  ran = 9;
  post([] {});
  CHECK(am_ep_wait_any(raw, 0, INT64_MAX, &ran) == AM_OK);
  CHECK(ran == 0);
  // With a time of zero it still handles what has arrived.
  receive(1);
  CHECK(am_ep_wait_any(raw, 0, 0, &ran) == AM_OK);
  CHECK(ran == 1);
}

}  // namespace protocol_posted

// Bulk calls that wait or are under way, against the recording transport: in which order they begin
// and end, and what becomes of them where something goes wrong.
#include "one_of_four.hpp"

#include <libam/core/bulk_handlers.hpp>
#include <libam/core/calls.hpp>

#include <string>
#include <vector>

using am::detail::seam::reach;
using am_test::entry;
namespace core = am::detail::core;

namespace {

void on_library(am::request_token, am::word) {}

}  // namespace

template <>
inline constexpr std::uint32_t am::handler_flags<on_library> = AM_HANDLER_OF_LIBRARY;

namespace {

constexpr std::size_t large = AM_MIN_MAX_MEDIUM + 100;

std::string story;  // a digit for each call that has ended
void on_end(am::reply_token, void*, std::size_t, am::word number) {
  story += static_cast<char>('0' + number);
}
void on_word(am::reply_token, am::word, am::word number) {
  story += static_cast<char>('0' + number);
}
void on_store(am::request_token, void*, std::size_t, am::word) {}
void on_request(am::request_token, am::word) {}
void on_bytes(am::request_token, std::span<const std::byte>) {}
void ask_for_more(am::request_token t) { (void)t.later<on_request>(3, 0); }

void take_back(am_token, const am_returned* message, void*) {
  story += message->unknown != 0 ? 'u' : 'n';
  story += static_cast<char>('0' + message->words[0]);
}

struct pending : am_test::one_of_four {
  explicit pending(std::uint32_t window = 4) : one_of_four(window) {
    am_ep_on_undeliverable(raw, take_back, nullptr);
    story.clear();
  }
  am_status get(am_word number, am_rank from = 1) {
    return am_ep_get(raw, from, there.data(), here.data(), large, entry<on_end>(), number, 0, 0, 0);
  }
  am_status store(am_word number, std::size_t bytes = large, am_rank to = 1) {
    return am_ep_store_async(raw, to, there.data(), here.data(), bytes, entry<on_store>(), number,
                             0, 0, 0, entry<on_end>(), number);
  }
  am_status add(am_word number, am_rank at = 1) {
    return am_ep_atomic(raw, at, &word, AM_FETCH_ADD, 1, 0, entry<on_word>(), number, 0, 0);
  }
  void fill_window(am_rank to = 1) {
    while (am_ep_try_request(raw, to, entry<on_request>(), 0, 0, 0, 0) == AM_OK) {
    }
  }
  void credits_come_home(std::uint32_t count, am_rank from = 1) { wire->silent[from] += count; }
  void poll_some() {
    for (int i = 0; i < 8; ++i) poll();
  }
  bool sleeps() {
    int armed = 0;
    REQUIRE(am_ep_arm(raw, &armed) == AM_OK);
    return armed == 1;
  }
  [[nodiscard]] auto sent(const am_handler& handler) const {
    return std::ranges::count(wire->requests, handler.id, &am_test::sent_request::handler);
  }

  am_word word = 0;
  std::vector<std::byte> there = std::vector<std::byte>(2 * large, std::byte{7});
  std::vector<std::byte> here = std::vector<std::byte>(2 * large);
};

}  // namespace

// ---- by the transport ----

TEST_CASE_FIXTURE(pending, "transfers end in any order, each once") {
  wire->reaches = reach::under_way;
  for (am_word number = 0; number < 4; ++number) REQUIRE(get(number) == AM_OK);
  CHECK(wire->under_way() == 4);
  CHECK(wire->polls == 0);
  for (const std::size_t which : {2U, 0U, 1U, 0U}) wire->end_transfer(which, reach::done);
  poll();
  CHECK(story == "2031");
  CHECK(here[large - 1] == std::byte{7});
}

TEST_CASE_FIXTURE(pending, "ten thousand gets and stores are under way at once") {
  wire->reaches = reach::under_way;
  for (int i = 0; i < 10000; ++i) REQUIRE(get(0) == AM_OK);
  CHECK(wire->under_way() == 10000);
  wire->ends = reach::done;
  while (story.size() < 10000) poll();
  CHECK(poll() == 0);
}

TEST_CASE_FIXTURE(pending, "a store under way keeps its credit, and runs its end when it is done") {
  wire->reaches = reach::under_way;
  REQUIRE(store(3) == AM_OK);
  const am::detail::seam::sender_credits& credits = wire->credits_to(1);
  CHECK(credits.free() == credits.limit() - 1);
  poll_some();
  CHECK(story.empty());
  CHECK(credits.free() == credits.limit() - 1);
  wire->end_transfer(0, reach::done);
  poll();
  CHECK(story == "3");
  CHECK(wire->requests.back().bulk.second == large);
}

TEST_CASE_FIXTURE(pending, "a busy transport is asked again at every poll, in the order of calls") {
  wire->reaches = reach::busy;
  for (am_word number = 0; number < 3; ++number) REQUIRE(store(number) == AM_OK);
  REQUIRE(get(3) == AM_OK);
  poll_some();
  CHECK(wire->under_way() == 0);
  CHECK(wire->credits_to(1).on_their_way() == 0);
  wire->reaches = reach::under_way;
  poll();
  CHECK(wire->under_way() == 4);
  wire->ends = reach::done;
  poll_some();
  CHECK(story == "0123");
}

TEST_CASE_FIXTURE(pending, "a transfer whose way ends goes in messages") {
  wire->reaches = reach::under_way;
  REQUIRE(get(1) == AM_OK);
  REQUIRE(store(2) == AM_OK);
  wire->reaches = reach::no_way;
  wire->ends = reach::no_way;
  poll_some();
  CHECK(sent(core::get_handler) == 1);
  CHECK(sent(core::piece_handler) == 1);
  CHECK(sent(core::store_handler) == 1);
  CHECK(wire->credits_to(1).on_their_way() == 3);
  CHECK(story == "2");
}

TEST_CASE_FIXTURE(pending,
                  "bytes that turn out unreadable bring the store back, and its end runs") {
  wire->reaches = reach::under_way;
  REQUIRE(store(5) == AM_OK);
  wire->end_transfer(0, reach::bad_here);
  poll_some();
  CHECK(story == "n55");
  CHECK(wire->credits_to(1).on_their_way() == 0);
  CHECK(wire->credits_to(1).held() == 0);
}

TEST_CASE_FIXTURE(pending, "an address that is refused at once is the call's status, and no call") {
  wire->reaches = reach::bad_address;
  CHECK(get(1) == AM_ARGUMENT_ADDRESS);
  CHECK(store(2) == AM_ARGUMENT_ADDRESS);
  wire->reaches = reach::bad_here;
  CHECK(store(3) == AM_ARGUMENT_ADDRESS);
  CHECK(std::string(am_error_text()).find(" here: not all of it is mapped") != std::string::npos);
  CHECK(wire->credits_to(1).on_their_way() == 0);
  poll_some();
  CHECK(story.empty());
}

TEST_CASE_FIXTURE(pending, "a rank with transfers under way sleeps, and close waits for them") {
  wire->reaches = reach::under_way;
  REQUIRE(get(1) == AM_OK);
  poll();
  CHECK(sleeps());
  wire->ends = reach::done;
  wire->still_under_way = 50;
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
  CHECK(story == "1");
}

// ---- in messages ----

TEST_CASE_FIXTURE(pending, "calls that find no credit return, wait in their order, and sleep") {
  fill_window();
  const std::size_t before = wire->requests.size();
  for (am_word number = 0; number < 4; ++number) REQUIRE(get(number) == AM_OK);
  REQUIRE(add(5) == AM_OK);
  poll();
  CHECK(wire->requests.size() == before);
  CHECK(sleeps());
  credits_come_home(2);
  poll();
  CHECK(wire->requests.size() == before + 2);
  credits_come_home(4);
  poll_some();
  REQUIRE(wire->requests.size() == before + 5);
  CHECK(wire->requests[before + 3].handler == core::get_handler.id);
  CHECK(wire->requests[before + 4].handler == core::atomic_handler.id);
}

TEST_CASE("so many gets at most ask one rank at a time, and others do not wait for them") {
  pending f(1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(f.get(1) == AM_OK);
  f.poll_some();
  CHECK(f.sent(core::get_handler) == core::calls::most_asking);
  REQUIRE(f.get(2, 2) == AM_OK);
  CHECK(f.wire->requests.back().to == 2);
  // An answer makes place for one more.
  f.wire->receive_request(1, core::got_handler.id, {0, 0, 0, 0},
                          std::vector<std::byte>(AM_MIN_MAX_MEDIUM));
  f.wire->receive_request(1, core::got_handler.id, {0, AM_MIN_MAX_MEDIUM, 0, 0},
                          std::vector<std::byte>(large - AM_MIN_MAX_MEDIUM));
  f.poll();
  CHECK(f.sent(core::get_handler) == core::calls::most_asking + 2);
}

TEST_CASE_FIXTURE(pending, "a store that waits in the middle of its messages goes on from there") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  REQUIRE(store(1, 2 * large) == AM_OK);
  wire->payload_status = AM_OK;
  fill_window();
  credits_come_home(1);
  poll();
  CHECK(sent(core::piece_handler) == 1);
  credits_come_home(2);
  poll_some();
  CHECK(sent(core::piece_handler) == 2);
  CHECK(sent(core::store_handler) == 1);
  CHECK(story == "1");
}

TEST_CASE_FIXTURE(pending, "a get does not overtake a store that waits for room") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  REQUIRE(store(1) == AM_OK);
  REQUIRE(get(2) == AM_OK);
  CHECK(wire->requests.empty());
  wire->payload_status = AM_OK;
  poll_some();
  REQUIRE(wire->requests.size() == 3);
  CHECK(wire->requests[2].handler == core::get_handler.id);
}

TEST_CASE_FIXTURE(pending, "an asynchronous store of no bytes waits like any other") {
  fill_window();
  const std::size_t before = wire->requests.size();
  REQUIRE(store(1, 0) == AM_OK);
  CHECK(wire->polls == 0);
  poll();
  CHECK(story.empty());
  credits_come_home(1);
  poll();
  CHECK(wire->requests.size() == before + 1);
  poll();
  CHECK(story == "1");
}

TEST_CASE_FIXTURE(pending, "what a handler asks for later in a look goes with the next look") {
  REQUIRE(am_ep_request(raw, 1, entry<on_request>(), 0, 0, 0, 0) == AM_OK);
  for (int i = 0; i < 2; ++i) {
    wire->receive_request(2, entry<ask_for_more>()->id, {});
    REQUIRE(am_ep_request_medium(raw, 1, entry<on_bytes>(), "x", 1, 0, 0, 0, 0) == AM_OK);
    CHECK(std::ranges::count(wire->requests, 3U, &am_test::sent_request::to) == i + 1);
    credits_come_home(2);
  }
}

TEST_CASE_FIXTURE(pending, "a store that waits does not run into one that is called later") {
  fill_window();
  REQUIRE(store(1) == AM_OK);
  CHECK(am_ep_try_store(raw, 1, there.data(), here.data(), 10, entry<on_store>(), 2, 0, 0, 0) ==
        AM_AGAIN_CREDIT);
  credits_come_home(4);
  CHECK(am_ep_store(raw, 1, there.data(), here.data(), 10, entry<on_store>(), 2, 0, 0, 0) == AM_OK);
  CHECK(wire->requests.back().words[0] == 2);
  CHECK(sent(core::store_handler) == 2);
}

TEST_CASE_FIXTURE(pending, "a fence waits for the stores to its rank alone, flush for what waits") {
  wire->reaches = reach::under_way;
  REQUIRE(store(1, large, 2) == AM_OK);
  CHECK(am_ep_fence(raw, 1) == AM_OK);
  CHECK(wire->polls == 0);
  wire->ends = reach::done;
  wire->still_under_way = 20;
  CHECK(am_ep_fence(raw, 2) == AM_OK);
  CHECK(wire->polls >= 20);
  wire->reaches = reach::busy;
  REQUIRE(store(2) == AM_OK);
  wire->receive_request(3, entry<on_request>()->id, {});
  wire->reaches = reach::done;
  CHECK(am_ep_flush(raw) == AM_OK);
  CHECK(wire->requests.back().words[0] == 2);
}

// ---- requests for later ----

TEST_CASE_FIXTURE(pending,
                  "requests for later leave with the next poll, in order, and keep from sleep") {
  const auto ask = [&](am_word number) {
    return am_ep_later(raw, 1, entry<on_request>(), number, 0, 0, 0);
  };
  poll();
  for (am_word number = 0; number < 6; ++number) REQUIRE(ask(number) == AM_OK);
  CHECK(wire->requests.empty());
  CHECK(!sleeps());
  poll();
  REQUIRE(wire->requests.size() == 4);  // for which there are credits
  poll();                               // the first contact was made in the one before
  CHECK(sleeps());
  credits_come_home(2);
  poll();
  REQUIRE(wire->requests.size() == 6);
  for (am_word number = 0; number < 6; ++number) CHECK(wire->requests[number].words[0] == number);
  CHECK(wire->requests[0].handler == entry<on_request>()->id);
}

am_status while_leaving = AM_OK;
void ask_while_leaving(am::request_token t, am::word) {
  while_leaving = t.later<on_request>(1, 0).code();
}

TEST_CASE_FIXTURE(pending, "who waits in close for the others asks for nothing more") {
  bool come = false;
  job->in_fence = [&] {
    if (come) return AM_OK;
    come = true;
    wire->receive_request(1, entry<ask_while_leaving>()->id, {});
    return AM_AGAIN_CONNECTING;
  };
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
  CHECK(while_leaving == AM_USAGE_LEFT);
}

TEST_CASE_FIXTURE(pending, "a request for later to a rank that dies comes back") {
  fill_window(2);
  const std::size_t before = wire->requests.size();
  REQUIRE(am_ep_later(raw, 2, entry<on_request>(), 7, 0, 0, 0) == AM_OK);
  wire->tell_of_death(2);
  while (poll() != 0) {
  }
  CHECK(wire->requests.size() == before);
  CHECK(story.find("n7") != std::string::npos);
  CHECK(am_ep_later(raw, 2, entry<on_request>(), 7, 0, 0, 0) == AM_PEER_DEAD);
}

TEST_CASE("a request of a library's handler that comes back is not told") {
  pending f;
  const am_handler* const of_library = entry<on_library>();
  f.fill_window(2);
  REQUIRE(am_ep_later(f.raw, 2, of_library, 7, 0, 0, 0) == AM_OK);
  f.wire->tell_of_death(2);
  while (f.poll() != 0) {
  }
  CHECK(story.find("n7") == std::string::npos);
}

// ---- deaths ----

TEST_CASE("whatever a call was at, it ends once when its rank dies, and the call after it fails") {
  for (const bool waits : {false, true}) {
    CAPTURE(waits);
    pending f;
    if (waits) f.fill_window(2);
    f.wire->reaches = waits ? reach::no_way : reach::under_way;
    REQUIRE(f.get(1, 2) == AM_OK);
    REQUIRE(f.store(2, large, 2) == AM_OK);
    if (waits) REQUIRE(f.add(3, 2) == AM_OK);
    f.wire->tell_of_death(2);
    while (f.poll() != 0) {
    }
    std::string told = story;
    std::erase_if(told, [](char c) { return c == 'n'; });
    std::ranges::sort(told);
    CHECK(told.find("1") == told.rfind("1"));
    CHECK(std::ranges::count(told, '2') == 2);  // its notice came back, and its end ran
    am_traffic with{};
    REQUIRE(am_ep_stats_with(f.raw, 2, &with, sizeof with) == AM_OK);
    CHECK(with.requests == f.wire->requests.size());  // a notice that has not left is none
    CHECK(f.get(1, 2) == AM_PEER_DEAD);
    CHECK(am_ep_close(f.raw) == AM_OK);
    f.raw = nullptr;
  }
}

TEST_CASE_FIXTURE(pending,
                  "an atomic operation that was asked for may have run, one that waits has not") {
  REQUIRE(add(1, 2) == AM_OK);
  fill_window(2);
  REQUIRE(add(2, 2) == AM_OK);
  wire->unknown = 1;
  wire->tell_of_death(2);
  while (poll() != 0) {
  }
  CHECK(story.substr(0, 1) == "u");
  CHECK(story.find("n0") != std::string::npos);
}

// Bulk calls that wait or are under way, against the recording transport: the order in which they
// begin and end, and their results after errors.
#include "four_rank_endpoint.hpp"

#include <libam/core/library_handlers.hpp>
#include <libam/core/pending_calls.hpp>

#include <string>
#include <vector>

namespace {

void on_library(am::request_token, am::word) {}

}  // namespace

template <>
inline constexpr std::uint32_t am::handler_flags<on_library> = AM_HANDLER_OF_LIBRARY;

namespace protocol_pending_calls {

using am::detail::seam::transfer_status;
using am_test::entry;
namespace core = am::detail::core;

namespace {

constexpr std::size_t large = AM_MIN_MAX_MEDIUM + 100;

std::string event_log;  // one digit for each call that has ended
char digit(am::word number) { return static_cast<char>('0' + number); }
void on_end(am::reply_token, void*, std::size_t, am::word number) { event_log += digit(number); }
void on_word(am::reply_token, am::word, am::word number) { event_log += digit(number); }
void on_store(am::request_token, void*, std::size_t, am::word) {}
void on_request(am::request_token, am::word) {}
void on_bytes(am::request_token, std::span<const std::byte>) {}
void request_later(am::request_token t) { (void)t.later<on_request>(3, 0); }

void on_undeliverable(am_token, const am_returned* message, void*) {
  event_log += message->unknown != 0 ? 'u' : 'n';
  event_log += digit(message->words[0]);
}

struct pending : am_test::four_rank_endpoint {
  explicit pending(std::uint32_t window = 4) : four_rank_endpoint(window) {
    am_ep_on_undeliverable(raw, on_undeliverable, nullptr);
    event_log.clear();
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
  void return_credits(std::uint32_t count, am_rank from = 1) { wire->silent[from] += count; }
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

// ---- transferred by the transport ----

TEST_CASE_FIXTURE(pending, "transfers end in any order, each once") {
  wire->begin_status = transfer_status::under_way;
  for (am_word number = 0; number < 4; ++number) REQUIRE(get(number) == AM_OK);
  CHECK(wire->under_way() == 4);
  CHECK(wire->polls == 0);
  for (const std::size_t which : {2U, 0U, 1U, 0U}) wire->end_transfer(which, transfer_status::done);
  poll();
  CHECK(event_log == "2031");
  CHECK(here[large - 1] == std::byte{7});
}

TEST_CASE_FIXTURE(pending, "ten thousand gets and stores are under way at once") {
  wire->begin_status = transfer_status::under_way;
  for (int i = 0; i < 10000; ++i) REQUIRE(get(0) == AM_OK);
  CHECK(wire->under_way() == 10000);
  wire->end_status = transfer_status::done;
  while (event_log.size() < 10000) poll();
  CHECK(poll() == 0);
}

TEST_CASE_FIXTURE(pending, "a store under way keeps its credit, and completes when it is done") {
  wire->begin_status = transfer_status::under_way;
  REQUIRE(store(3) == AM_OK);
  const am::detail::seam::sender_credits& credits = wire->credits_to(1);
  CHECK(credits.free() == credits.limit() - 1);
  poll_some();
  CHECK(event_log.empty());
  CHECK(credits.free() == credits.limit() - 1);
  wire->end_transfer(0, transfer_status::done);
  poll();
  CHECK(event_log == "3");
  CHECK(wire->requests.back().bulk.second == large);
}

TEST_CASE_FIXTURE(pending, "a busy transport is tried again at every poll, in the order of calls") {
  wire->begin_status = transfer_status::busy;
  for (am_word number = 0; number < 3; ++number) REQUIRE(store(number) == AM_OK);
  REQUIRE(get(3) == AM_OK);
  poll_some();
  CHECK(wire->under_way() == 0);
  CHECK(wire->credits_to(1).in_flight() == 0);
  wire->begin_status = transfer_status::under_way;
  poll();
  CHECK(wire->under_way() == 4);
  wire->end_status = transfer_status::done;
  poll_some();
  CHECK(event_log == "0123");
}

TEST_CASE_FIXTURE(pending, "a transfer that the transport gives up goes in messages") {
  wire->begin_status = transfer_status::under_way;
  REQUIRE(get(1) == AM_OK);
  REQUIRE(store(2) == AM_OK);
  wire->begin_status = transfer_status::unsupported;
  wire->end_status = transfer_status::unsupported;
  poll_some();
  CHECK(sent(core::get_handler) == 1);
  CHECK(sent(core::piece_handler) == 1);
  CHECK(sent(core::store_handler) == 1);
  CHECK(wire->credits_to(1).in_flight() == 3);
  CHECK(event_log == "2");
}

TEST_CASE_FIXTURE(pending, "a store of unreadable bytes returns, and completes") {
  wire->begin_status = transfer_status::under_way;
  REQUIRE(store(5) == AM_OK);
  wire->end_transfer(0, transfer_status::bad_local_address);
  poll_some();
  CHECK(event_log == "n55");
  CHECK(wire->credits_to(1).in_flight() == 0);
  CHECK(wire->credits_to(1).held() == 0);
}

TEST_CASE_FIXTURE(pending, "an address that is refused at once is the status of the call") {
  wire->begin_status = transfer_status::bad_remote_address;
  CHECK(get(1) == AM_ARGUMENT_ADDRESS);
  CHECK(store(2) == AM_ARGUMENT_ADDRESS);
  wire->begin_status = transfer_status::bad_local_address;
  CHECK(store(3) == AM_ARGUMENT_ADDRESS);
  CHECK(std::string(am_error_text()).find(" here: not all of it is mapped") != std::string::npos);
  CHECK(wire->credits_to(1).in_flight() == 0);
  poll_some();
  CHECK(event_log.empty());
}

TEST_CASE_FIXTURE(pending, "a rank with transfers under way may sleep, and close waits for them") {
  wire->begin_status = transfer_status::under_way;
  REQUIRE(get(1) == AM_OK);
  poll();
  CHECK(sleeps());
  wire->end_status = transfer_status::done;
  wire->polls_until_end = 50;
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
  CHECK(event_log == "1");
}

// ---- in messages ----

TEST_CASE_FIXTURE(pending, "calls that find no credit return, wait in order, and allow sleep") {
  fill_window();
  const std::size_t before = wire->requests.size();
  for (am_word number = 0; number < 4; ++number) REQUIRE(get(number) == AM_OK);
  REQUIRE(add(5) == AM_OK);
  poll();
  CHECK(wire->requests.size() == before);
  CHECK(sleeps());
  return_credits(2);
  poll();
  CHECK(wire->requests.size() == before + 2);
  return_credits(4);
  poll_some();
  REQUIRE(wire->requests.size() == before + 5);
  CHECK(wire->requests[before + 3].handler == core::get_handler.id);
  CHECK(wire->requests[before + 4].handler == core::atomic_handler.id);
}

TEST_CASE("gets requested of one rank are limited, and other ranks do not wait") {
  pending f(1000);
  for (int i = 0; i < 1000; ++i) REQUIRE(f.get(1) == AM_OK);
  f.poll_some();
  CHECK(f.sent(core::get_handler) == core::pending_calls::max_requested_gets);
  REQUIRE(f.get(2, 2) == AM_OK);
  CHECK(f.wire->requests.back().to == 2);
  // An answer allows one more.
  f.wire->receive_request(1, core::got_handler.id, {0, 0, 0, 0},
                          std::vector<std::byte>(AM_MIN_MAX_MEDIUM));
  f.wire->receive_request(1, core::got_handler.id, {0, AM_MIN_MAX_MEDIUM, 0, 0},
                          std::vector<std::byte>(large - AM_MIN_MAX_MEDIUM));
  f.poll();
  CHECK(f.sent(core::get_handler) == core::pending_calls::max_requested_gets + 2);
}

TEST_CASE_FIXTURE(pending, "a store that waits in the middle of its messages resumes there") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  REQUIRE(store(1, 2 * large) == AM_OK);
  wire->payload_status = AM_OK;
  fill_window();
  return_credits(1);
  poll();
  CHECK(sent(core::piece_handler) == 1);
  return_credits(2);
  poll_some();
  CHECK(sent(core::piece_handler) == 2);
  CHECK(sent(core::store_handler) == 1);
  CHECK(event_log == "1");
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
  CHECK(event_log.empty());
  return_credits(1);
  poll();
  CHECK(wire->requests.size() == before + 1);
  poll();
  CHECK(event_log == "1");
}

TEST_CASE_FIXTURE(pending,
                  "a request for later from a handler in a send leaves with the next one") {
  REQUIRE(am_ep_request(raw, 1, entry<on_request>(), 0, 0, 0, 0) == AM_OK);
  for (int i = 0; i < 2; ++i) {
    wire->receive_request(2, entry<request_later>()->id, {});
    REQUIRE(am_ep_request_medium(raw, 1, entry<on_bytes>(), "x", 1, 0, 0, 0, 0) == AM_OK);
    CHECK(std::ranges::count(wire->requests, 3U, &am_test::sent_request::to) == i + 1);
    return_credits(2);
  }
}

TEST_CASE_FIXTURE(pending, "the messages of a waiting store do not mix with those of a later one") {
  fill_window();
  REQUIRE(store(1) == AM_OK);
  CHECK(am_ep_try_store(raw, 1, there.data(), here.data(), 10, entry<on_store>(), 2, 0, 0, 0) ==
        AM_AGAIN_CREDIT);
  return_credits(4);
  CHECK(am_ep_store(raw, 1, there.data(), here.data(), 10, entry<on_store>(), 2, 0, 0, 0) == AM_OK);
  CHECK(wire->requests.back().words[0] == 2);
  CHECK(sent(core::store_handler) == 2);
}

TEST_CASE_FIXTURE(pending, "a fence waits only for the stores to its rank, flush for all") {
  wire->begin_status = transfer_status::under_way;
  REQUIRE(store(1, large, 2) == AM_OK);
  CHECK(am_ep_fence(raw, 1) == AM_OK);
  CHECK(wire->polls == 0);
  wire->end_status = transfer_status::done;
  wire->polls_until_end = 20;
  CHECK(am_ep_fence(raw, 2) == AM_OK);
  CHECK(wire->polls >= 20);
  wire->begin_status = transfer_status::busy;
  REQUIRE(store(2) == AM_OK);
  wire->receive_request(3, entry<on_request>()->id, {});
  wire->begin_status = transfer_status::done;
  CHECK(am_ep_flush(raw) == AM_OK);
  CHECK(wire->requests.back().words[0] == 2);
}

// ---- requests for later ----

TEST_CASE_FIXTURE(pending,
                  "requests for later leave in order with the next poll, and prevent sleep") {
  const auto ask = [&](am_word number) {
    return am_ep_later(raw, 1, entry<on_request>(), number, 0, 0, 0);
  };
  poll();
  for (am_word number = 0; number < 6; ++number) REQUIRE(ask(number) == AM_OK);
  CHECK(wire->requests.empty());
  CHECK(!sleeps());
  poll();
  REQUIRE(wire->requests.size() == 4);  // one for each credit
  poll();                               // the poll before connected
  CHECK(sleeps());
  return_credits(2);
  poll();
  REQUIRE(wire->requests.size() == 6);
  for (am_word number = 0; number < 6; ++number) CHECK(wire->requests[number].words[0] == number);
  CHECK(wire->requests[0].handler == entry<on_request>()->id);
}

am_status status_while_leaving = AM_OK;
void request_while_leaving(am::request_token t, am::word) {
  status_while_leaving = t.later<on_request>(1, 0).code();
}

TEST_CASE_FIXTURE(pending, "a rank that waits in close sends no further requests") {
  bool requested = false;
  job->in_fence = [&] {
    if (requested) return AM_OK;
    requested = true;
    wire->receive_request(1, entry<request_while_leaving>()->id, {});
    return AM_AGAIN_CONNECTING;
  };
  CHECK(am_ep_close(raw) == AM_OK);
  raw = nullptr;
  CHECK(status_while_leaving == AM_USAGE_LEFT);
}

TEST_CASE_FIXTURE(pending, "a request for later to a rank that dies returns") {
  fill_window(2);
  const std::size_t before = wire->requests.size();
  REQUIRE(am_ep_later(raw, 2, entry<on_request>(), 7, 0, 0, 0) == AM_OK);
  wire->inject_death(2);
  while (poll() != 0) {
  }
  CHECK(wire->requests.size() == before);
  CHECK(event_log.find("n7") != std::string::npos);
  CHECK(am_ep_later(raw, 2, entry<on_request>(), 7, 0, 0, 0) == AM_PEER_DEAD);
}

TEST_CASE("a returned request of a library's handler is not reported") {
  pending f;
  const am_handler* const of_library = entry<on_library>();
  f.fill_window(2);
  REQUIRE(am_ep_later(f.raw, 2, of_library, 7, 0, 0, 0) == AM_OK);
  f.wire->inject_death(2);
  while (f.poll() != 0) {
  }
  CHECK(event_log.find("n7") == std::string::npos);
}

// ---- deaths ----

TEST_CASE("in every state a call ends once when its rank dies, and the next call fails") {
  for (const bool waits : {false, true}) {
    CAPTURE(waits);
    pending f;
    if (waits) f.fill_window(2);
    f.wire->begin_status = waits ? transfer_status::unsupported : transfer_status::under_way;
    REQUIRE(f.get(1, 2) == AM_OK);
    REQUIRE(f.store(2, large, 2) == AM_OK);
    if (waits) REQUIRE(f.add(3, 2) == AM_OK);
    f.wire->inject_death(2);
    while (f.poll() != 0) {
    }
    std::string ended = event_log;
    std::erase_if(ended, [](char c) { return c == 'n'; });
    std::ranges::sort(ended);
    CHECK(ended.find("1") == ended.rfind("1"));
    CHECK(std::ranges::count(ended, '2') == 2);  // its notice returned, and its completion ran
    am_traffic with{};
    REQUIRE(am_ep_stats_with(f.raw, 2, &with, sizeof with) == AM_OK);
    CHECK(with.requests == f.wire->requests.size());  // a notice that was not sent does not count
    CHECK(f.get(1, 2) == AM_PEER_DEAD);
    CHECK(am_ep_close(f.raw) == AM_OK);
    f.raw = nullptr;
  }
}

TEST_CASE_FIXTURE(pending, "an atomic operation that was sent may have run, a waiting one not") {
  REQUIRE(add(1, 2) == AM_OK);
  fill_window(2);
  REQUIRE(add(2, 2) == AM_OK);
  wire->unknown = 1;
  wire->inject_death(2);
  while (poll() != 0) {
  }
  CHECK(event_log.substr(0, 1) == "u");
  CHECK(event_log.find("n0") != std::string::npos);
}

}  // namespace protocol_pending_calls

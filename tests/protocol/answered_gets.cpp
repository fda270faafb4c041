// Gets that this rank answers in pieces, over a transport without room or without a return path.
#include "get_target.hpp"

#include <algorithm>

namespace protocol_answered_gets {

using am_test::entry;
namespace core = am::detail::core;

namespace {

void on_bytes(am::reply_token, std::span<const std::byte>) {}
void on_word(am::request_token, am_word) {}

am_status returned_reason = AM_OK;
void on_undeliverable(am_token, const am_returned* message, void*) {
  returned_reason = message->reason;
}

// The window has credits for two pieces.
struct get_in_pieces : am_test::get_target {
  get_in_pieces() : get_target(2, 100) {}
  void receive_get_of_three_pieces() {
    here.resize(3 * AM_MIN_MAX_MEDIUM);
    receive_get(5);
  }
  am_status request(am_rank to) { return am_ep_request(raw, to, entry<on_word>(), 0, 0, 0, 0); }
  [[nodiscard]] auto pieces() const {
    return std::ranges::count(wire->requests, core::got_handler.id,
                              &am_test::sent_request::handler);
  }
  bool sleeps() {
    int armed = 0;
    REQUIRE(am_ep_arm(raw, &armed) == AM_OK);
    return armed == 1;
  }
  void poll_some() {
    for (int i = 0; i < 20; ++i) poll();
  }
};

}  // namespace

TEST_CASE_FIXTURE(get_in_pieces, "a get is answered once there is room for its bytes") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  receive_get(5);
  poll_some();
  CHECK(wire->requests.empty());
  CHECK(sleeps());  // though there is a credit
  wire->payload_status = AM_OK;
  poll_some();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::got_handler.id);
  CHECK(wire->requests[0].payload == here);
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "of several gets that wait for a credit one refreshes the credits in each poll") {
  for (int i = 0; i < 2; ++i) REQUIRE(request(2) == AM_OK);
  for (am_word number = 0; number < 5; ++number) receive_get(number);
  poll();
  const unsigned before = wire->refreshes[2];
  poll();
  CHECK(wire->refreshes[2] == before + 1);
}

TEST_CASE_FIXTURE(get_in_pieces, "a request for later leaves although pending gets find no room") {
  REQUIRE(request(2) == AM_OK);  // connects
  wire->silent[2] = 1;
  wire->payload_status = AM_AGAIN_PAYLOAD;
  receive_get(5);
  REQUIRE(am_ep_later(raw, 2, entry<on_word>(), 8, 0, 0, 0) == AM_OK);
  poll_some();
  REQUIRE(wire->requests.size() == 2);
  CHECK(wire->requests[1].words[0] == 8);
}

TEST_CASE_FIXTURE(get_in_pieces, "a get whose bytes can never have room fails with that status") {
  wire->payload_status = AM_RESOURCE_SPACE;
  receive_get(5);
  poll_some();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
  CHECK(wire->requests[0].words == am_test::words4{5, AM_RESOURCE_SPACE, 0, 0});
}

TEST_CASE_FIXTURE(get_in_pieces, "a get is answered once the requester can be reached") {
  wire->unreachable = "no way back";
  receive_get(5);
  poll_some();
  CHECK(wire->requests.empty());
  wire->unreachable.clear();
  poll();
  CHECK(wire->requests.size() == 1);
}

TEST_CASE_FIXTURE(get_in_pieces, "a rank with a pending get that it could serve does not sleep") {
  receive_get_of_three_pieces();
  poll();
  CHECK(wire->requests.size() == 1);
  CHECK_FALSE(sleeps());
  poll();
  CHECK_FALSE(sleeps());
  poll();  // no credit for the third piece
  CHECK(wire->requests.size() == 2);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces, "a credit goes to a pending get in the poll that brings it") {
  receive_get_of_three_pieces();
  poll_some();
  CHECK(wire->requests.size() == 2);
  CHECK(sleeps());
  wire->receive_reply(2, core::got_handler.id, {});
  poll();
  CHECK(wire->requests.size() == 3);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "a caller in a flood that never polls serves gets with the credits it receives") {
  const auto flood = [&](int requests) {
    for (int i = 0; i < requests; ++i) {
      REQUIRE(request(1) == AM_OK);
      wire->receive_reply(1, core::got_handler.id, {});
    }
  };
  receive_get_of_three_pieces();
  flood(3);
  CHECK(pieces() == 2);  // one for each credit
  wire->refreshes.clear();
  flood(320);
  CHECK(wire->refreshes[2] <= 10);  // each is a system call, on other transports
  wire->receive_reply(2, core::got_handler.id, {});
  flood(40);
  CHECK(pieces() == 3);
  CHECK(wire->polls == 0);
  poll();
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "a credit that a request has found prevents sleep while a get is pending") {
  REQUIRE(request(1) == AM_OK);  // connects
  wire->receive_reply(1, core::got_handler.id, {});
  receive_get_of_three_pieces();
  poll_some();
  REQUIRE(request(1) == AM_OK);  // finds no credit; the next check finds one
  wire->receive_reply(2, core::got_handler.id, {});
  REQUIRE(request(1) == AM_OK);
  CHECK(pieces() == 2);
  CHECK_FALSE(sleeps());
  poll();
  CHECK(pieces() == 3);
  CHECK(sleeps());
}

TEST_CASE("every call that checks for messages serves pending gets") {
  static std::byte data[8] = {};
  static std::byte place[8] = {};
  static am_word word = 0;
  constexpr am_status (*calls[])(am_ep*) = {
      [](am_ep* ep) { return am_ep_request(ep, 1, entry<on_word>(), 0, 0, 0, 0); },
      [](am_ep* ep) { return am_ep_request_medium(ep, 1, entry<on_bytes>(), data, 8, 0, 0, 0, 0); },
      [](am_ep* ep) { return am_ep_store(ep, 1, place, data, 8, entry<on_bytes>(), 0, 0, 0, 0); },
      [](am_ep* ep) {
        return am_ep_store_async(ep, 1, place, data, 8, entry<on_bytes>(), 0, 0, 0, 0,
                                 entry<on_word>(), 0);
      },
      [](am_ep* ep) { return am_ep_get(ep, 1, data, place, 8, entry<on_bytes>(), 0, 0, 0, 0); },
      [](am_ep* ep) {
        return am_ep_atomic(ep, 1, &word, AM_FETCH_ADD, 1, 0, entry<on_word>(), 0, 0, 0);
      }};
  for (const auto call : calls) {
    get_in_pieces here;
    here.wire->begin_status = am::detail::seam::transfer_status::done;
    here.wire->words_mapped = true;
    here.wire->payload_status = AM_AGAIN_PAYLOAD;
    here.receive_get(5);
    here.poll();
    here.wire->payload_status = AM_OK;
    CHECK(call(here.raw) == AM_OK);
    CHECK(here.pieces() == 1);
  }
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "a credit that a try has found prevents sleep while a get is pending") {
  receive_get_of_three_pieces();
  poll_some();
  CHECK(sleeps());
  wire->silent[2] = 2;
  REQUIRE(am_ep_try_request(raw, 2, entry<on_word>(), 0, 0, 0, 0) == AM_OK);
  CHECK_FALSE(sleeps());
  CHECK_FALSE(sleeps());
  poll();
  CHECK(pieces() == 3);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "a connection that a try has made prevents sleep while a get is pending") {
  wire->unreachable = "no way back";
  receive_get(5);
  poll();
  CHECK(sleeps());
  wire->unreachable.clear();
  REQUIRE(am_ep_try_request(raw, 2, entry<on_word>(), 0, 0, 0, 0) == AM_OK);
  CHECK_FALSE(sleeps());
  poll();
  CHECK(pieces() == 1);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "credits that serving a get has found but not used prevent sleep for one poll") {
  for (int i = 0; i < 2; ++i) REQUIRE(request(2) == AM_OK);
  receive_get(5);
  poll();
  CHECK(sleeps());
  wire->silent_after_poll = 2;
  poll();
  CHECK(pieces() == 1);
  CHECK_FALSE(sleeps());
  poll();
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces, "a get that can never have room fails at once") {
  wire->payload_status = AM_RESOURCE_SPACE;
  receive_get(5);
  poll();
  CHECK(wire->requests.size() == 1);
  poll();
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(get_in_pieces,
                  "while there is no room only one pending get is tried in each poll") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  for (const am_word number : {5U, 6U, 7U}) receive_get(number);
  poll();
  wire->tries = 0;
  poll();
  CHECK(wire->tries == 1);
  wire->payload_status = AM_OK;
  poll();
  CHECK(wire->requests.size() == 2);  // as many as there are credits
}

TEST_CASE_FIXTURE(get_in_pieces, "a get returns with the reason that the other rank reports") {
  for (const am_status reason : {AM_RESOURCE_SPACE, AM_ARGUMENT_ADDRESS}) {
    REQUIRE(am_ep_get(raw, 2, here.data(), here.data(), 10, entry<on_bytes>(), 0, 0, 0, 0) ==
            AM_OK);
    wire->receive_request(2, core::get_failed_handler.id,
                          {wire->requests.back().words[0], static_cast<am_word>(reason), 0, 0});
    am_ep_on_undeliverable(raw, on_undeliverable, nullptr);
    poll_some();
    CHECK(returned_reason == reason);
  }
}

}  // namespace protocol_answered_gets

// Gets that this rank answers in pieces, over a transport that has no room, or no way back.
#include "asked.hpp"

using am_test::entry;
namespace core = am::detail::core;

namespace {

void on_bytes(am::reply_token, std::span<const std::byte>) {}
void on_word(am::request_token, am_word) {}

am_status came_back = AM_OK;
void take_back(am_token, const am_returned* message, void*) { came_back = message->reason; }

// With credits for two pieces.
struct answering : am_test::asked {
  answering() : asked(2, 100) {}
  void ask_for_three_pieces() {
    here.resize(3 * AM_MIN_MAX_MEDIUM);
    ask(5);
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

TEST_CASE_FIXTURE(answering, "a get is answered once there is room for its bytes") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  ask(5);
  poll_some();
  CHECK(wire->requests.empty());
  CHECK(sleeps());  // though there is a credit
  wire->payload_status = AM_OK;
  poll_some();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::got_handler.id);
  CHECK(wire->requests[0].payload == here);
}

TEST_CASE_FIXTURE(answering, "a get whose bytes will never have room is told so") {
  wire->payload_status = AM_RESOURCE_SPACE;
  ask(5);
  poll_some();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
  CHECK(wire->requests[0].words == am_test::words4{5, AM_RESOURCE_SPACE, 0, 0});
}

TEST_CASE_FIXTURE(answering, "a get is answered once there is a way to who asked") {
  wire->unreachable = "no way back";
  ask(5);
  poll_some();
  CHECK(wire->requests.empty());
  wire->unreachable.clear();
  poll();
  CHECK(wire->requests.size() == 1);
}

TEST_CASE_FIXTURE(answering, "who owes bytes that it could send does not sleep") {
  ask_for_three_pieces();
  poll();
  CHECK(wire->requests.size() == 1);
  CHECK_FALSE(sleeps());
  poll();
  CHECK_FALSE(sleeps());
  poll();  // no credit for the third piece
  CHECK(wire->requests.size() == 2);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(answering, "a credit goes to who waits for bytes in the poll that brings it") {
  ask_for_three_pieces();
  poll_some();
  CHECK(wire->requests.size() == 2);
  CHECK(sleeps());
  wire->receive_reply(2, core::got_handler.id, {});
  poll();
  CHECK(wire->requests.size() == 3);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(answering, "a credit that a request has found keeps from sleep who owes bytes") {
  ask_for_three_pieces();
  poll_some();
  CHECK(sleeps());
  wire->receive_reply(2, core::got_handler.id, {});
  REQUIRE(am_ep_request(raw, 1, entry<on_word>(), 0, 0, 0, 0) == AM_OK);
  CHECK_FALSE(sleeps());
  poll();
  CHECK(wire->requests.size() == 4);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(answering, "a get that will never have room is told so at once") {
  wire->payload_status = AM_RESOURCE_SPACE;
  ask(5);
  poll();
  CHECK(wire->requests.size() == 1);
  CHECK(sleeps());
}

TEST_CASE_FIXTURE(answering, "while there is no room every debtor waits for one try a poll") {
  wire->payload_status = AM_AGAIN_PAYLOAD;
  for (const am_word number : {5U, 6U, 7U}) ask(number);
  poll();
  wire->tries = 0;
  poll();
  CHECK(wire->tries == 1);
  wire->payload_status = AM_OK;
  poll();
  CHECK(wire->requests.size() == 2);  // as many as there are credits
}

TEST_CASE_FIXTURE(answering, "a get comes back with what the other side says was in its way") {
  for (const am_status reason : {AM_RESOURCE_SPACE, AM_ARGUMENT_ADDRESS}) {
    REQUIRE(am_ep_get(raw, 2, here.data(), here.data(), 10, entry<on_bytes>(), 0, 0, 0, 0) ==
            AM_OK);
    wire->receive_request(2, core::get_failed_handler.id,
                          {wire->requests.back().words[0], static_cast<am_word>(reason), 0, 0});
    am_ep_on_undeliverable(raw, take_back, nullptr);
    poll_some();
    CHECK(came_back == reason);
  }
}

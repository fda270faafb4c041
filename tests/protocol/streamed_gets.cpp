// Gets that this rank answers by streamed puts.
#include "get_target.hpp"

#include <libam/core/endpoint_handle.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <algorithm>
#include <vector>

namespace protocol_streamed_gets {

using am_test::entry;
namespace core = am::detail::core;
using am::detail::seam::transfer_status;

namespace {

void on_bytes(am::request_token, std::span<const std::byte>) {}

struct streaming : am_test::get_target {
  // A get of this size is streamed, whatever memory its bytes are in.
  streaming() : get_target(8, am::detail::wire::most_eager_bytes + 8) { wire->streams = true; }
  [[nodiscard]] std::ptrdiff_t answers() const {
    return std::ranges::count(wire->requests, core::got_handler.id,
                              &am_test::sent_request::handler);
  }
  [[nodiscard]] core::bulk& bulk() const { return core::endpoint_of(raw).bulk(); }
  [[nodiscard]] void* make_segment() const {
    void* made = nullptr;
    REQUIRE(bulk().own_segments.make(here.size(), &made) == AM_OK);
    return made;
  }
  void receive_get_of(am_word number, void* bytes) const {
    receive_get_of(number, bytes, here.size());
  }
  void receive_get_of(am_word number, void* bytes, std::size_t size) const {
    wire->receive_request(2, core::get_handler.id,
                          {number, reinterpret_cast<std::uintptr_t>(bytes), size, 0});
  }
  void store() {
    REQUIRE(am_ep_store(raw, 2, here.data(), here.data(), here.size(), entry<on_bytes>(), 0, 0, 0,
                        0) == AM_OK);
  }
};

}  // namespace

TEST_CASE_FIXTURE(streaming, "an answered get no longer counts when the next one arrives") {
  for (am_word number = 0; number < core::pending_calls::max_requested_gets; ++number)
    receive_get(number);
  while (poll() != 0) continue;  // a poll has a budget, and all have to arrive
  wire->end_status = transfer_status::done;
  // In the poll in which the answer to the first one leaves.
  receive_get(core::pending_calls::max_requested_gets);
  poll();
  CHECK(answers() == 8);  // one for each credit
}

TEST_CASE_FIXTURE(streaming, "unreadable bytes are reported by the poll that finds them") {
  receive_get(5);
  poll();
  wire->end_status = transfer_status::bad_local_address;
  CHECK(wire->requests.empty());
  poll();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
  CHECK(wire->credits_to(wire->requests[0].to).in_flight() == 1);
  CHECK(wire->credits_to(wire->requests[0].to).held() == 0);  // the credit of the notice is back
}

TEST_CASE_FIXTURE(streaming,
                  "an error that a put finds before it returns is reported in the same poll") {
  wire->end_status_in_call = transfer_status::bad_local_address;
  receive_get(5);
  poll();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
  CHECK(wire->requests[0].words[0] == 5);
  wire->end_status_in_call = transfer_status::done;
  receive_get(6);
  poll();
  CHECK(answers() == 1);
  CHECK(wire->under_way() == 0);
}

TEST_CASE_FIXTURE(streaming, "consecutive stores do not delay a get") {
  wire->end_status = transfer_status::done;
  receive_get(5);
  for (int i = 0; i < 4; ++i) store();
  CHECK(answers() == 1);
}

TEST_CASE_FIXTURE(streaming, "an answer from a segment is flagged as stable, others are not") {
  void* const segment = make_segment();
  receive_get_of(1, here.data());
  receive_get_of(2, segment);
  poll();
  CHECK(wire->puts_source_stable == std::vector<bool>{false, true});
}

TEST_CASE_FIXTURE(streaming, "a small range outside segments is checked before it is sent") {
  receive_get_of(1, here.data(), 4000);
  receive_get_of(2, reinterpret_cast<void*>(std::uintptr_t{1} << 20), 4000);
  poll();
  CHECK(wire->puts_source_stable.empty());
  CHECK(answers() == 1);
  REQUIRE(wire->requests.size() == 2);
  CHECK(wire->requests[1].handler == core::get_failed_handler.id);
  CHECK(wire->requests[1].words[1] == AM_ARGUMENT_ADDRESS);
}

TEST_CASE_FIXTURE(streaming, "a freed segment is kept until its bytes are read") {
  void* const segment = make_segment();
  for (am_word number = 0; number < 2; ++number) receive_get_of(number, segment);
  poll();
  REQUIRE(wire->under_way() == 2);
  bulk().own_segments.free(segment);
  for (const bool last : {false, true}) {
    wire->end_transfer(0, transfer_status::done);
    poll();
    poll();
    CHECK(bulk().own_segments.has_pending_free() == !last);
  }
}

TEST_CASE_FIXTURE(streaming, "of two adjacent segments only the one in use is kept") {
  std::vector<std::byte> both(2 * here.size());
  wire->next_segments = {both.data() + here.size(), both.data()};
  void* const above = make_segment();
  void* const below = make_segment();
  receive_get_of(1, above);
  receive_get_of(2, below);
  poll();
  REQUIRE(wire->under_way() == 2);
  bulk().own_segments.free(above);
  wire->end_transfer(0, transfer_status::done);
  poll();
  poll();
  CHECK(wire->freed == std::vector<void*>{above});
  bulk().own_segments.free(below);
  CHECK(bulk().own_segments.has_pending_free());
  wire->end_transfer(0, transfer_status::done);
  poll();
  poll();
  CHECK(wire->freed == std::vector<void*>{above, below});
}

TEST_CASE_FIXTURE(streaming, "a segment is not kept for a get of a rank that has died") {
  void* const segment = make_segment();
  receive_get_of(1, segment);
  poll();
  REQUIRE(wire->under_way() == 1);
  bulk().own_segments.free(segment);
  CHECK(bulk().own_segments.has_pending_free());
  wire->inject_death(2);
  poll();
  poll();
  CHECK_FALSE(bulk().own_segments.has_pending_free());
}

TEST_CASE_FIXTURE(streaming,
                  "an answer holds a credit, which is in flight only after its notice is sent") {
  receive_get(1);
  poll();
  am::detail::seam::sender_credits& credits = wire->credits_to(2);
  CHECK(credits.free() == credits.limit() - 1);
  CHECK(credits.in_flight() == 0);
  CHECK_FALSE(credits.is_valid_silent(1));
  wire->end_status = transfer_status::done;
  poll();
  CHECK(credits.free() == credits.limit() - 1);
  CHECK(credits.in_flight() == 1);
}

TEST_CASE_FIXTURE(streaming, "an answer that has left is no longer pending") {
  receive_get(1);
  poll();
  CHECK(bulk().server.has_pending());
  wire->end_status = transfer_status::done;
  poll();
  poll();
  CHECK_FALSE(bulk().server.has_pending());
}

}  // namespace protocol_streamed_gets

// What had come from a peer before the pair was lost.
#include "../support/failure_sink.hpp"
#include "simulated_peer.hpp"

namespace ucx_lost_pairs {

using namespace am_test;

namespace {

// Its counter is booked when it begins, and says nothing of which requests it counts.
void check_rest_is_handled(member& zero, simulated_peer& peer, ucx::kind end) {
  am_test::send(*peer.port, 1, replying);
  am_test::send(*peer.port, 2, silent);
  am_test::send(*peer.port, 3, replying);
  REQUIRE(zero.transport->flush() == AM_OK);
  peer.send_frame({simulated_peer::make(wire::message_kind::request, silent, 9),
                   simulated_peer::make(wire::message_kind::reply, replied, 1)},
                  1);  // the second request was silent
  REQUIRE(poll_until({}, [&] { return zero.transport->poll(1) == 1; }));
  peer.send_kind(end, bytes(1, std::byte{'x'}));
  REQUIRE(poll_until({}, [&] {
    (void)zero.transport->poll(0);
    return peer.port->describe_peer() == "its route is lost";
  }));
  CHECK(zero.seen.all.size() == 1);
  (void)zero.transport->drain_dead_peer(1, 64);
  failure_sink returned;
  peer.port->fail_pending(returned);
  CHECK(returned.words == std::vector<am_word>{3});
}

}  // namespace

TEST_CASE_FIXTURE(with_simulated_peer,
                  "the rest of a frame that has begun is handled though its pair is lost") {
  check_rest_is_handled(zero, peer, ucx::kind::lost);
}

TEST_CASE_FIXTURE(with_simulated_peer,
                  "the rest of a frame that has begun is handled though what follows is no frame") {
  check_rest_is_handled(zero, peer, ucx::kind::frame);
}

}  // namespace ucx_lost_pairs

// One end of a connection, frame by frame: when messages are sent, how credits return, and how it
// ends.
#include "../support/failure_sink.hpp"
#include "far_end.hpp"
#include "link_pair.hpp"

#include <doctest/doctest.h>

namespace tcp_channels {

using namespace am_test;
using state = tcp::channel::state;

namespace {

wire::message answer(am_word word) {
  wire::message one = request(replied, {word, 0, 0, 0});
  one.kind = wire::message_kind::reply;
  return one;
}

}  // namespace

TEST_CASE("a request is sent at once where nothing is unanswered; the next ones are batched") {
  pair p(8);
  p.open();
  p.request(1);
  CHECK(p.received_messages().size() == 1);
  p.request(2);
  p.request(3);
  CHECK(p.received_messages().empty());
  CHECK(p.channel.flags.has_open_frame);
  p.channel.flush();
  CHECK(p.received_messages().size() == 2);
}

TEST_CASE("what is sent before the connection is established is sent then") {
  pair p(8);
  p.request(1);
  p.request(2);
  CHECK_FALSE(p.channel.is_flushed());
  p.open();
  CHECK(p.received_messages().size() == 2);
  CHECK(p.channel.is_flushed());
}

TEST_CASE("a port has its transport's capabilities") {
  pair p(1);
  CHECK(p.channel.route_caps() == tcp::tcp_caps);
  CHECK(p.channel.streams());
  CHECK(p.channel.route_caps().has(seam::capability::network));
  CHECK_FALSE(p.channel.route_caps().has(seam::capability::segments));
}

TEST_CASE("the last credit is flagged, and returns by the header of an empty frame") {
  pair p(2);
  p.open();
  p.request(1);
  p.request(2);
  p.channel.flush();
  const auto sent = p.received_messages();
  REQUIRE(sent.size() == 2);
  CHECK_FALSE(sent[0].credit_requested);
  CHECK(sent[1].credit_requested);
  CHECK(p.channel.credits.free() == 0);
  p.send_frame({}, 1);
  p.channel.refresh_credits();
  CHECK(p.channel.credits.free() == 1);
  CHECK(p.peers.take_credits_or_room());
  CHECK_FALSE(p.peers.take_credits_or_room());
  p.send_frame({answer(2)}, 1);
  CHECK(p.channel.take_messages(64) == 1);
  CHECK(p.channel.credits.free() == 2);
  CHECK(p.seen.all == std::vector<recorder::handler_run>{{1, replied, 2, 0}});
}

TEST_CASE("a rank that refreshes and never polls runs no handler") {
  pair p(1);
  p.open();
  p.request(1);
  p.send_frame({request(silent, {7, 0, 0, 0})}, 1);
  p.channel.refresh_credits();
  CHECK(p.channel.credits.free() == 1);
  CHECK(p.seen.all.empty());
  CHECK(p.channel.take_messages(64) == 1);
}

TEST_CASE("requests are answered in the frame that is sent when they are handled") {
  pair p(8);
  p.open();
  p.send_frame({request(replying, {1, 0, 0, 0}), request(silent, {2, 0, 0, 0}, true),
                request(replying, {3, 0, 0, 0})});
  CHECK(p.channel.take_messages(64) == 3);
  const auto answers = p.received_messages();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].words[0] == 1);
  CHECK(answers[1].words[0] == 3);
  CHECK_FALSE(p.channel.has_unpublished());  // the silence of the flagged request went with them
}

TEST_CASE(
    "silence is published at once to a peer without credits, else when it has grown, or on "
    "demand") {
  pair p(8);
  p.open();
  p.send_frame({request(silent, {1, 0, 0, 0})});
  p.channel.take_messages(64);
  CHECK(p.received_messages().empty());
  CHECK(p.silent_received == 0);
  p.channel.publish();
  p.received_messages();
  CHECK(p.silent_received == 1);
  p.send_frame({request(silent, {2, 0, 0, 0}, true)});
  p.channel.take_messages(64);
  p.received_messages();
  CHECK(p.silent_received == 2);
  p.send_frame({request(silent, {3, 0, 0, 0}), request(silent, {4, 0, 0, 0})});
  p.channel.take_messages(64);
  p.received_messages();
  CHECK(p.silent_received == 4);
}

TEST_CASE("a budget may end inside a frame, and the next poll handles the rest") {
  pair p(8);
  p.open();
  p.send_frame({request(silent, {1, 0, 0, 0}), request(silent, {2, 0, 0, 0})});
  CHECK(p.channel.take_messages(1) == 1);
  CHECK(p.channel.has_more());
  CHECK(p.channel.take_messages(1) == 1);
  CHECK(p.channel.take_messages(1) == 0);
  CHECK_FALSE(p.channel.has_more());
}

TEST_CASE("a goodbye ends a connection in order; the silence before it counts") {
  pair p(8);
  p.open();
  p.request(1);
  p.send_frame({of_kind(wire::message_kind::goodbye)}, 1);
  CHECK(p.channel.take_messages(64) == 0);
  CHECK(p.channel.current_state() == state::left);
  CHECK(p.manager.lost == "");
}

TEST_CASE("a goodbye with pending answers is a loss, and so is an end without a goodbye") {
  pair owes(8);
  owes.open();
  owes.request(1);
  owes.send_frame({of_kind(wire::message_kind::goodbye)});
  owes.channel.take_messages(64);
  CHECK(owes.manager.lost == "it has left with requests unanswered");
  CHECK_FALSE(owes.manager.may_be_dead);
  pair ends(8);
  ends.open();
  ends.close_far_end();
  ends.channel.take_messages(64);
  CHECK(ends.manager.lost == "it has closed the connection without a goodbye");
  CHECK(ends.manager.may_be_dead);
}

TEST_CASE("what arrived before the end is handled before it") {
  pair p(8);
  p.open();
  p.send_frame({request(silent, {1, 0, 0, 0})});
  p.close_far_end();
  CHECK(p.channel.take_messages(64) == 1);
  p.channel.take_messages(64);
  CHECK(p.channel.current_state() == state::lost);
}

// Its counter is booked when it begins, and says nothing of which requests it counts.
TEST_CASE("the rest of a frame that has begun is handled though its connection is lost") {
  pair p(8);
  p.open();
  for (const am_word word : {1, 2, 3}) p.request(word);
  p.channel.flush();
  p.send_frame({request(silent, {9, 0, 0, 0}), answer(1)}, 1);  // the second request was silent
  CHECK(p.channel.take_messages(1) == 1);
  p.channel.lose("the test says so", packed::loss_cause::maybe_death);
  CHECK(p.channel.take_messages(64) == 1);
  failure_sink all;
  p.channel.fail_pending(all);
  CHECK(all.words == std::vector<am_word>{3});
}

TEST_CASE("a lost pair returns its unanswered requests, also those sent after the loss") {
  for (const bool stood : {false, true}) {
    CAPTURE(stood);
    pair p(8);
    if (stood) p.open();
    p.request(1);
    p.request(2);
    p.request(3);
    if (stood) {
      p.channel.flush();
      p.send_frame({answer(1)});
      CHECK(p.channel.take_messages(64) == 1);
    }
    p.channel.lose("the test says so", packed::loss_cause::error);
    p.request(4);
    failure_sink all;
    p.channel.fail_pending(all);
    CHECK(all.words == (stood ? std::vector<am_word>{2, 3, 4} : std::vector<am_word>{1, 2, 3, 4}));
    CHECK(all.unknown == stood);
  }
}

TEST_CASE("answers without requests and unknown credits end the connection") {
  pair answers(8);
  answers.open();
  answers.send_frame({answer(1)});
  answers.channel.take_messages(64);
  CHECK(answers.manager.lost == "it has sent more answers than there were requests");
  CHECK(answers.seen.all.empty());
  pair credits(8);
  credits.open();
  credits.request(1);
  credits.send_frame({}, 2);
  credits.channel.take_messages(64);
  CHECK(credits.manager.lost == "it has counted 2 silent requests, with 1 in flight");
}

TEST_CASE("a modified record is no sign that the peer died") {
  pair p(8);
  p.open_encrypted(am_test::keys_of(1, 2));
  p.send_bytes(bytes(512, std::byte{1}));
  CHECK(p.channel.take_messages(64) == 0);
  CHECK(p.manager.lost == "a record that no rank of this job has written");
  CHECK_FALSE(p.manager.may_be_dead);
}

TEST_CASE("a repeated or missing frame ends the connection") {
  pair p(8);
  p.open();
  p.packer.add(request(silent, {1, 0, 0, 0}));
  const auto frame = p.packer.close(0);
  const bytes copy(frame.begin(), frame.end());
  p.send_bytes(copy);
  p.send_bytes(copy);
  CHECK(p.channel.take_messages(64) == 1);
  CHECK(p.manager.lost == "the frame's number is 0, not 1");
  CHECK_FALSE(p.manager.may_be_dead);
  pair drops(8);
  drops.open();
  (void)drops.packer.close(0);
  drops.send_frame({request(silent, {1, 0, 0, 0})});
  CHECK(drops.channel.take_messages(64) == 0);
  CHECK(drops.manager.lost == "the frame's number is 1, not 0");
}

}  // namespace tcp_channels

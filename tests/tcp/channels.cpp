// One end of a connection, frame by frame: when messages leave, how credits come home, and how it
// ends.
#include "../support/mourner.hpp"
#include "ends.hpp"
#include "far_end.hpp"

#include <doctest/doctest.h>

using namespace am_test;
using state = tcp::channel::state;

namespace {

wire::message answer(am_word word) {
  wire::message one = request(answered, {word, 0, 0, 0});
  one.kind = wire::message_kind::reply;
  return one;
}

}  // namespace

TEST_CASE("a request leaves at once where nothing is unanswered, the next ones wait for company") {
  pair p(8);
  p.open();
  p.request(1);
  CHECK(p.heard().size() == 1);
  p.request(2);
  p.request(3);
  CHECK(p.heard().empty());
  CHECK(p.channel.noted.listed);
  p.channel.flush();
  CHECK(p.heard().size() == 2);
}

TEST_CASE("what is sent before the connection stands leaves with it") {
  pair p(8);
  p.request(1);
  p.request(2);
  CHECK_FALSE(p.channel.is_flushed());
  p.open();
  CHECK(p.heard().size() == 2);
  CHECK(p.channel.is_flushed());
}

TEST_CASE("a port tells what its transport can") {
  pair p(1);
  CHECK(p.channel.way_can() == tcp::tcp_can);
  CHECK(p.channel.streams());
  CHECK(p.channel.way_can().has(seam::capability::network));
  CHECK_FALSE(p.channel.way_can().has(seam::capability::segments));
}

TEST_CASE("the last credit says so, and comes home by the header of an empty frame") {
  pair p(2);
  p.open();
  p.request(1);
  p.request(2);
  p.channel.flush();
  const auto sent = p.heard();
  REQUIRE(sent.size() == 2);
  CHECK_FALSE(sent[0].hungry);
  CHECK(sent[1].hungry);
  CHECK(p.channel.credits.free() == 0);
  p.say({}, 1);
  p.channel.refresh();
  CHECK(p.channel.credits.free() == 1);
  CHECK(p.peers.had_news());
  CHECK_FALSE(p.peers.had_news());
  p.say({answer(2)}, 1);
  CHECK(p.channel.take(64) == 1);
  CHECK(p.channel.credits.free() == 2);
  CHECK(p.seen.all == std::vector<recorder::ran>{{1, answered, 2, 0}});
}

TEST_CASE("who refreshes and never polls runs no handler") {
  pair p(1);
  p.open();
  p.request(1);
  p.say({request(silent, {7, 0, 0, 0})}, 1);
  p.channel.refresh();
  CHECK(p.channel.credits.free() == 1);
  CHECK(p.seen.all.empty());
  CHECK(p.channel.take(64) == 1);
}

TEST_CASE("requests are answered in the frame that leaves when they are handled") {
  pair p(8);
  p.open();
  p.say({request(asking, {1, 0, 0, 0}), request(silent, {2, 0, 0, 0}, true),
         request(asking, {3, 0, 0, 0})});
  CHECK(p.channel.take(64) == 3);
  const auto answers = p.heard();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].words[0] == 1);
  CHECK(answers[1].words[0] == 3);
  CHECK_FALSE(p.channel.owes());  // the hungry one's silence went with them
}

TEST_CASE(
    "silence is told at once to who has no credit left, else when it has grown, or on demand") {
  pair p(8);
  p.open();
  p.say({request(silent, {1, 0, 0, 0})});
  p.channel.take(64);
  CHECK(p.heard().empty());
  CHECK(p.silent_heard == 0);
  p.channel.publish();
  p.heard();
  CHECK(p.silent_heard == 1);
  p.say({request(silent, {2, 0, 0, 0}, true)});
  p.channel.take(64);
  p.heard();
  CHECK(p.silent_heard == 2);
  p.say({request(silent, {3, 0, 0, 0}), request(silent, {4, 0, 0, 0})});
  p.channel.take(64);
  p.heard();
  CHECK(p.silent_heard == 4);
}

TEST_CASE("a budget ends inside a frame, and the rest of it comes with the next") {
  pair p(8);
  p.open();
  p.say({request(silent, {1, 0, 0, 0}), request(silent, {2, 0, 0, 0})});
  CHECK(p.channel.take(1) == 1);
  CHECK(p.channel.has_more());
  CHECK(p.channel.take(1) == 1);
  CHECK(p.channel.take(1) == 0);
  CHECK_FALSE(p.channel.has_more());
}

TEST_CASE("a goodbye ends a connection in good order, silence before it counted") {
  pair p(8);
  p.open();
  p.request(1);
  p.say({of_kind(wire::message_kind::goodbye)}, 1);
  CHECK(p.channel.take(64) == 0);
  CHECK(p.channel.at() == state::left);
  CHECK(p.keeps.lost == "");
}

TEST_CASE("a goodbye that owes answers is a loss, and so is an end without one") {
  pair owes(8);
  owes.open();
  owes.request(1);
  owes.say({of_kind(wire::message_kind::goodbye)});
  owes.channel.take(64);
  CHECK(owes.keeps.lost == "it has left and owes answers");
  CHECK_FALSE(owes.keeps.may_be_dead);
  pair ends(8);
  ends.open();
  ends.hang_up();
  ends.channel.take(64);
  CHECK(ends.keeps.lost == "it has closed the connection without a goodbye");
  CHECK(ends.keeps.may_be_dead);
}

TEST_CASE("what came before the end is handled before it") {
  pair p(8);
  p.open();
  p.say({request(silent, {1, 0, 0, 0})});
  p.hang_up();
  CHECK(p.channel.take(64) == 1);
  p.channel.take(64);
  CHECK(p.channel.at() == state::lost);
}

TEST_CASE("a lost pair gives its unanswered requests back, also those that come after the loss") {
  for (const bool stood : {false, true}) {
    CAPTURE(stood);
    pair p(8);
    if (stood) p.open();
    p.request(1);
    p.request(2);
    p.request(3);
    if (stood) {
      p.channel.flush();
      p.say({answer(1)});
      CHECK(p.channel.take(64) == 1);
    }
    p.channel.lose("the test says so");
    p.request(4);
    mourner all;
    p.channel.give_up(all);
    CHECK(all.words == (stood ? std::vector<am_word>{2, 3, 4} : std::vector<am_word>{1, 2, 3, 4}));
    CHECK(all.unknown == stood);
  }
}

TEST_CASE("answers to nobody and credits from nowhere end the connection") {
  pair answers(8);
  answers.open();
  answers.say({answer(1)});
  answers.channel.take(64);
  CHECK(answers.keeps.lost == "it answers more than there were requests");
  CHECK(answers.seen.all.empty());
  pair credits(8);
  credits.open();
  credits.request(1);
  credits.say({}, 2);
  credits.channel.take(64);
  CHECK(credits.keeps.lost == "2 silent requests, with 1 on their way");
}

TEST_CASE("a record that was changed is no sign that somebody died") {
  pair p(8);
  p.open_encrypted(am_test::keys_of(1, 2));
  p.say_bytes(bytes(512, std::byte{1}));
  CHECK(p.channel.take(64) == 0);
  CHECK(p.keeps.lost == "a record that nobody of this job wrote");
  CHECK_FALSE(p.keeps.may_be_dead);
}

TEST_CASE("a frame that comes twice, and one that does not come, end the connection") {
  pair p(8);
  p.open();
  p.packer.add(request(silent, {1, 0, 0, 0}));
  const auto frame = p.packer.close(0);
  const bytes copy(frame.begin(), frame.end());
  p.say_bytes(copy);
  p.say_bytes(copy);
  CHECK(p.channel.take(64) == 1);
  CHECK(p.keeps.lost == "the frame's number is 0, not 1");
  CHECK_FALSE(p.keeps.may_be_dead);
  pair drops(8);
  drops.open();
  (void)drops.packer.close(0);
  drops.say({request(silent, {1, 0, 0, 0})});
  CHECK(drops.channel.take(64) == 0);
  CHECK(drops.keeps.lost == "the frame's number is 1, not 0");
}

// A request or reply that would be the only message of its frame may go without it.
#include "frame_pair.hpp"

using namespace am_test;

TEST_CASE("a lone request and its answer may go without their frames, and frames go on behind") {
  couple c;
  c.zero.ask(7);
  CHECK(c.carry_alone(c.zero, c.one));
  CHECK_FALSE(c.zero.out.has_messages());
  CHECK(c.one.out.has_to_answer());
  CHECK(c.carry_alone(c.one, c.zero));
  CHECK(c.one.seen.all == std::vector<ran>{{0, asking, 7, 0}});
  CHECK(c.zero.seen.all == std::vector<ran>{{1, answered, 7, 0}});
  CHECK(c.zero.credits.on_their_way() == 0);
  c.zero.ask(8);
  CHECK(c.deliver(c.zero, c.one) == stop::end_of_frame);
  CHECK(c.deliver(c.one, c.zero) == stop::end_of_frame);
  CHECK(c.zero.seen.all.back() == ran{1, answered, 8, 0});
}

TEST_CASE("a lone message tells of one silent request, and goes in its frame if there are two") {
  couple c;
  c.zero.ask(1, silent);
  c.deliver(c.zero, c.one);
  c.one.ask(2, silent);
  CHECK(c.carry_alone(c.one, c.zero));
  CHECK(c.zero.credits.on_their_way() == 0);
  CHECK_FALSE(c.one.out.owes());
  c.zero.ask(3);
  CHECK(c.carry_alone(c.zero, c.one));
  CHECK(c.one.credits.on_their_way() == 0);
  (void)c.one.out.close();
  for (am_word word = 4; word < 6; ++word) c.zero.ask(word, silent);
  c.deliver(c.zero, c.one);
  c.one.ask(6, silent);
  CHECK_FALSE(c.one.out.lone_message());
}

TEST_CASE("what is not a lone message of words alone goes in its frame") {
  couple c(8);
  int place = 0;
  const am_word words[AM_WORDS] = {1};
  CHECK_FALSE(c.zero.out.lone_message());
  SUBCASE("two") {
    c.zero.ask(1);
    c.zero.ask(2);
  }
  SUBCASE("with a payload") {
    c.zero.credits.take();
    (void)c.zero.out.medium(silent, words, &place, sizeof place);
  }
  SUBCASE("about a place") { c.zero.tell(&place, sizeof place); }
  SUBCASE("an answer about a place") { c.zero.out.reply_at(answered, words, &place, 0); }
  SUBCASE("one that comes back") { c.zero.out.give_back(AM_ARGUMENT_HANDLER, 7, words); }
  SUBCASE("a goodbye") { c.zero.out.goodbye(); }
  SUBCASE("with the last credit") {
    for (am_word word = 0; word < 7; ++word) c.zero.ask(word);
    (void)c.zero.out.close();
    c.zero.ask(8);
  }
  CHECK_FALSE(c.zero.out.lone_message());
}

TEST_CASE("of all kinds, also of those to come, requests and replies alone go without a frame") {
  for (unsigned kind = 1; kind < 256; ++kind) {
    wire::message one{};
    one.kind = static_cast<wire::message_kind>(kind);
    wire::packer frames;
    frames.add(one);
    const bool is_short =
        one.kind == wire::message_kind::request || one.kind == wire::message_kind::reply;
    CHECK(frames.lone_message().has_value() == is_short);
  }
}

TEST_CASE("lone messages that cannot be right are trouble") {
  const am_word words[AM_WORDS] = {};
  couple c;
  CHECK_FALSE(c.one.in.take_lone(wire::message_kind::reply, false, answered, words));
  CHECK(c.one.in.trouble() == "it answers more than there were requests");
  CHECK(c.one.seen.all.empty());
  CHECK_FALSE(c.zero.in.take_lone(wire::message_kind::request, true, silent, words));
  CHECK(c.zero.in.trouble() == "1 silent requests, with 0 on their way");
  CHECK(c.zero.seen.all.empty());
}

TEST_CASE("a lone message may bring the credit that somebody missed") {
  couple c(1);
  c.zero.ask(1, silent);
  c.deliver(c.zero, c.one);
  c.one.out.reply(answered, 5, 0, 0, 0);  // of an older request, as far as the reader can tell
  c.zero.credits.raise_limit(2);
  c.zero.credits.take();
  CHECK(c.carry_alone(c.one, c.zero));
  CHECK(c.zero.in.ended_shortage());
}

TEST_CASE("a frame has come to the peer when a request that went behind it is answered for") {
  couple c;
  c.zero.ask(1, silent);
  const std::uint64_t due = c.zero.out.requests_that_tell();
  c.deliver(c.zero, c.one);
  c.deliver(c.one, c.zero);
  CHECK(c.zero.out.answered() < due);
  c.zero.ask(2);
  c.deliver(c.zero, c.one);
  c.deliver(c.one, c.zero);
  CHECK(c.zero.out.answered() == due);
}

// A request or reply that would be alone in its frame may be sent without the frame.
#include "frame_pair.hpp"

namespace protocol_lone_messages {

using namespace am_test;

TEST_CASE("a lone request and its answer need no frames, and frames continue behind them") {
  rank_pair c;
  c.zero.send_request(7);
  CHECK(c.transfer_lone(c.zero, c.one));
  CHECK_FALSE(c.zero.out.has_messages());
  CHECK(c.one.out.has_to_answer());
  CHECK(c.transfer_lone(c.one, c.zero));
  CHECK(c.one.seen.all == std::vector<handler_run>{{0, replying, 7, 0}});
  CHECK(c.zero.seen.all == std::vector<handler_run>{{1, replied, 7, 0}});
  CHECK(c.zero.credits.in_flight() == 0);
  c.zero.send_request(8);
  CHECK(c.deliver(c.zero, c.one) == stop_reason::end_of_frame);
  CHECK(c.deliver(c.one, c.zero) == stop_reason::end_of_frame);
  CHECK(c.zero.seen.all.back() == handler_run{1, replied, 8, 0});
}

TEST_CASE("a lone message reports one silent request; with two it goes in its frame") {
  rank_pair c;
  c.zero.send_request(1, silent);
  c.deliver(c.zero, c.one);
  c.one.send_request(2, silent);
  CHECK(c.transfer_lone(c.one, c.zero));
  CHECK(c.zero.credits.in_flight() == 0);
  CHECK_FALSE(c.one.out.has_unpublished());
  c.zero.send_request(3);
  CHECK(c.transfer_lone(c.zero, c.one));
  CHECK(c.one.credits.in_flight() == 0);
  (void)c.one.out.close();
  for (am_word word = 4; word < 6; ++word) c.zero.send_request(word, silent);
  c.deliver(c.zero, c.one);
  c.one.send_request(6, silent);
  CHECK_FALSE(c.one.out.lone_message());
}

TEST_CASE("messages other than lone requests and replies of words go in a frame") {
  rank_pair c(8);
  int place = 0;
  const am_word words[AM_WORDS] = {1};
  CHECK_FALSE(c.zero.out.lone_message());
  SUBCASE("two") {
    c.zero.send_request(1);
    c.zero.send_request(2);
  }
  SUBCASE("with a payload") {
    c.zero.credits.take();
    (void)c.zero.out.medium(silent, words, &place, sizeof place);
  }
  SUBCASE("with an address") { c.zero.send_notice(&place, sizeof place); }
  SUBCASE("an answer with an address") { c.zero.out.reply_at(replied, words, &place, 0); }
  SUBCASE("a returned request") { c.zero.out.return_request(AM_ARGUMENT_HANDLER, 7, words); }
  SUBCASE("a goodbye") { c.zero.out.goodbye(); }
  SUBCASE("with the last credit") {
    for (am_word word = 0; word < 7; ++word) c.zero.send_request(word);
    (void)c.zero.out.close();
    c.zero.send_request(8);
  }
  CHECK_FALSE(c.zero.out.lone_message());
}

TEST_CASE("of all kinds, also future ones, only requests and replies go without a frame") {
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

TEST_CASE("invalid lone messages are errors") {
  const am_word words[AM_WORDS] = {};
  rank_pair c;
  CHECK_FALSE(c.one.in.deliver_lone(wire::message_kind::reply, false, replied, words));
  CHECK(c.one.in.error_text() == "it has sent more answers than there were requests");
  CHECK(c.one.seen.all.empty());
  CHECK_FALSE(c.zero.in.deliver_lone(wire::message_kind::request, true, silent, words));
  CHECK(c.zero.in.error_text() == "it has counted 1 silent requests, with 0 in flight");
  CHECK(c.zero.seen.all.empty());
}

TEST_CASE("a lone message may return a credit that was reported as used up") {
  rank_pair c(1);
  c.zero.send_request(1, silent);
  c.deliver(c.zero, c.one);
  c.one.out.reply(replied, 5, 0, 0, 0);  // to an older request, as far as the reader knows
  c.zero.credits.raise_limit(2);
  c.zero.credits.take();
  CHECK(c.transfer_lone(c.one, c.zero));
  CHECK(c.zero.in.restored_credits());
}

TEST_CASE("a frame has reached the peer when a request that was sent after it is answered") {
  rank_pair c;
  c.zero.send_request(1, silent);
  const std::uint64_t due = c.zero.out.answered_once_received();
  c.deliver(c.zero, c.one);
  c.deliver(c.one, c.zero);
  CHECK(c.zero.out.answered() < due);
  c.zero.send_request(2);
  c.deliver(c.zero, c.one);
  c.deliver(c.one, c.zero);
  CHECK(c.zero.out.answered() == due);
}

}  // namespace protocol_lone_messages

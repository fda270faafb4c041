// Messages into frames and out of them, and which frames are refused.
#include "frame_pair.hpp"

namespace protocol_frames {

using namespace am_test;

TEST_CASE("a frame leaves with the first request, and then when it is full") {
  rank_pair c(64, 256);
  CHECK(c.zero.send_request(1));
  (void)c.zero.out.close();
  am_word count = 1;
  while (!c.zero.send_request(++count)) CHECK_FALSE(c.zero.out.is_full());
  CHECK(c.zero.out.is_full());
  CHECK(count > 4);
}

TEST_CASE("messages of every kind, and their answers, are read as they were written") {
  rank_pair c;
  const bytes payload(100, std::byte{9});
  int place = 0;
  const am_word words[AM_WORDS] = {3};
  c.zero.send_request(1);
  c.zero.send_request(2, silent);
  c.zero.credits.take();
  (void)c.zero.out.medium(replying, words, payload.data(), payload.size());
  c.zero.send_notice(&place, sizeof place);
  c.zero.send_request(4, 77);  // there is no such handler
  CHECK(c.deliver(c.zero, c.one) == stop_reason::end_of_frame);
  CHECK(c.one.seen.all == std::vector<handler_run>{{0, replying, 1, 0},
                                                   {0, silent, 2, 0},
                                                   {0, replying, 3, payload.size()},
                                                   {0, silent, 5, sizeof place}});
  CHECK(c.one.out.has_to_answer());
  CHECK(c.deliver(c.one, c.zero) == stop_reason::end_of_frame);
  CHECK(c.zero.seen.all ==
        std::vector<handler_run>{{1, replied, 1, 0}, {1, replied, 3, 0}, {1, missing, 4, 0}});
  CHECK(c.zero.credits.in_flight() == 0);
}

TEST_CASE("an answer may name an address") {
  rank_pair c;
  const am_word words[AM_WORDS] = {6};
  c.zero.send_request(1, silent);
  c.one.out.reply_at(replied, words, &c, 0);
  CHECK(c.deliver(c.one, c.zero) == stop_reason::end_of_frame);
  CHECK(c.zero.seen.all == std::vector<handler_run>{{1, replied, 6, 0}});
}

TEST_CASE(
    "a request with room is answered whatever its handler does, and the answer is flagged so") {
  using form = seam::answer::form;
  rank_pair c;
  const am_word words[AM_WORDS] = {3};
  const bytes payload(100, std::byte{9});
  const auto request_with_room = [&](std::uint32_t handler, std::size_t size) {
    c.zero.credits.take();
    (void)c.zero.out.request_with_room(handler, words, payload.data(), size, 50);
  };
  request_with_room(replying, 0);
  request_with_room(replying, payload.size());
  request_with_room(silent, 0);
  request_with_room(77, 0);  // there is no such handler
  CHECK(c.deliver(c.zero, c.one) == stop_reason::end_of_frame);
  CHECK(c.one.seen.all ==
        std::vector<handler_run>{{0, replying, 3, 0}, {0, replying, 3, 100}, {0, silent, 3, 0}});
  CHECK_FALSE(c.one.out.has_unpublished());
  CHECK(c.deliver(c.one, c.zero) == stop_reason::end_of_frame);
  CHECK(c.zero.seen.released_rooms ==
        std::vector<std::pair<form, std::size_t>>{
            {form::words, 0}, {form::words, 0}, {form::words, 0}, {form::returned, 0}});
  CHECK(c.zero.credits.in_flight() == 0);
}

TEST_CASE("answers of every form are read as they were written") {
  using form = seam::answer::form;
  rank_pair c;
  const am_word words[AM_WORDS] = {6};
  const bytes payload(100, std::byte{9});
  for (am_word i = 0; i < 4; ++i) c.zero.send_request(i);
  c.one.out.answer({form::words, replied, words});
  c.one.out.answer({form::payload, replied, words, payload.data(), payload.size()});
  c.one.out.answer({form::placed, replied, words, &c, 70});
  c.one.out.answer({form::returned, replied, words, nullptr, 0, AM_ARGUMENT_HANDLER});
  CHECK(c.deliver(c.one, c.zero) == stop_reason::end_of_frame);
  CHECK(c.zero.seen.all ==
        std::vector<handler_run>{
            {1, replied, 6, 0}, {1, replied, 6, 100}, {1, replied, 6, 70}, {1, missing, 6, 0}});
  CHECK(c.zero.seen.released_rooms ==
        std::vector<std::pair<form, std::size_t>>{
            {form::words, 0}, {form::payload, 100}, {form::placed, 70}, {form::returned, 0}});
  CHECK(c.zero.credits.in_flight() == 0);
}

TEST_CASE("a budget may end inside a frame, and the frame may move before it continues") {
  rank_pair c;
  for (am_word word = 0; word < 3; ++word) c.zero.send_request(word, silent);
  REQUIRE(c.transfer_frame(c.zero, c.one) == parse_result::frame);
  unsigned budget = 2;
  CHECK(c.one.in.deliver(budget) == stop_reason::budget);
  CHECK(budget == 0);
  CHECK(c.one.in.in_frame());
  CHECK(c.one.in.deliver(budget) == stop_reason::budget);
  CHECK(c.one.seen.all.size() == 2);
  c.frame = std::make_unique<aligned_bytes>(c.frame->all());
  c.one.in.relocate_frame(c.frame->all().data());
  budget = 1;
  CHECK(c.one.in.deliver(budget) == stop_reason::end_of_frame);
  CHECK_FALSE(c.one.in.in_frame());
  CHECK(c.one.seen.all.back() == handler_run{0, silent, 2, 0});
}

TEST_CASE("a frame that is full of answers leaves before the next request is handled") {
  rank_pair c(64, full);
  rank small(1, 64, 128);
  for (am_word word = 0; word < 20; ++word) c.zero.send_request(word);
  const aligned_bytes asked(c.zero.out.close());
  REQUIRE(small.in.begin(asked.all()) == parse_result::frame);
  unsigned budget = plenty;
  unsigned frames = 0;
  stop_reason why = stop_reason::full_frame;
  while (why != stop_reason::end_of_frame) {
    why = small.in.deliver(budget);
    CHECK(small.out.is_full() == (why == stop_reason::full_frame));
    CHECK(c.deliver(small, c.zero) == stop_reason::end_of_frame);
    ++frames;
  }
  CHECK(frames > 2);
  REQUIRE(c.zero.seen.all.size() == 20);
  for (am_word word = 0; word < 20; ++word) CHECK(c.zero.seen.all[word].word == word);
}

TEST_CASE("silence is published by a poll that finds nothing, or at once if the requester waits") {
  rank_pair c(8);
  c.zero.send_request(1, silent);
  c.deliver(c.zero, c.one);
  CHECK(c.one.out.has_unpublished());
  CHECK_FALSE(c.one.out.has_to_answer());
  for (am_word word = 2; word <= 8; ++word)
    c.zero.send_request(word, word == 2 ? silent : replying);
  CHECK(c.zero.credits.free() == 0);
  c.deliver(c.zero, c.one);
  CHECK(c.one.out.has_to_answer());
  REQUIRE(c.transfer_frame(c.one, c.zero) == parse_result::frame);
  CHECK(c.zero.in.restored_credits());
  CHECK(c.zero.credits.free() == 2);
  CHECK_FALSE(c.one.out.has_unpublished());
}

TEST_CASE("silence is published at once to a requester without credits") {
  rank_pair c(100);  // the count is published by itself only at 25
  for (am_word word = 0; word < 99; ++word) c.zero.send_request(word);
  c.deliver(c.zero, c.one);
  (void)c.one.out.close();
  c.zero.send_request(99, silent);
  c.deliver(c.zero, c.one);
  CHECK_FALSE(c.one.out.has_messages());
  CHECK(c.one.out.has_to_answer());
}

TEST_CASE("more silent requests than were sent are an error") {
  rank_pair c;
  c.zero.send_request(1, silent);
  c.one.out.count_silent();
  c.one.out.count_silent();
  CHECK(c.transfer_frame(c.one, c.zero) == parse_result::error);
  CHECK(c.zero.in.error_text() == "it has counted 2 silent requests, with 1 in flight");
}

TEST_CASE("answers to more requests than were sent are an error; those before it are handled") {
  rank_pair c;
  c.zero.send_request(1, silent);
  for (am_word word = 0; word < 2; ++word) c.one.out.reply(replied, word, 0, 0, 0);
  CHECK(c.deliver(c.one, c.zero) == stop_reason::error);
  CHECK(c.zero.in.error_text() == "it has sent more answers than there were requests");
  CHECK(c.zero.seen.all == std::vector<handler_run>{{1, replied, 0, 0}});
}

TEST_CASE("a goodbye is valid if every request is answered by the end of its frame") {
  rank_pair good;
  good.zero.send_request(1, silent);
  good.one.out.count_silent();
  good.one.out.goodbye();
  CHECK(good.deliver(good.one, good.zero) == stop_reason::goodbye);
  rank_pair bad;
  bad.zero.send_request(1, silent);
  bad.one.out.goodbye();
  CHECK(bad.deliver(bad.one, bad.zero) == stop_reason::error);
  CHECK(bad.zero.in.error_text() == "it has left with requests unanswered");
}

TEST_CASE("a goodbye is an error while a put to its sender is under way") {
  rank_pair c;
  c.zero.credits.take();
  c.zero.credits.hold();
  c.one.out.goodbye();
  CHECK(c.deliver(c.one, c.zero) == stop_reason::error);
  CHECK(c.zero.in.error_text() == "it has left while bytes were in flight to it");
}

TEST_CASE("a piece fills its frame and ends it, behind the messages before it") {
  rank_pair c;
  c.zero.send_request(1, silent);
  c.zero.out.piece(4096, 100);
  CHECK(c.zero.out.is_full());
  CHECK(c.deliver(c.zero, c.one) == stop_reason::piece);
  CHECK_FALSE(c.one.in.in_frame());
  CHECK(c.one.in.piece().where == 4096);
  CHECK(c.one.in.piece().bytes == 100);
  CHECK(c.one.seen.all.size() == 1);
}

TEST_CASE("a notice whose bytes were not placed is returned, and no other one") {
  rank_pair c;
  bytes place(100);
  c.one.in.note_piece_failed(reinterpret_cast<std::uintptr_t>(&place[99]));
  c.zero.send_notice(place.data(), 0);
  c.zero.send_notice(place.data(), 100);
  c.zero.send_notice(place.data(), 100);
  c.deliver(c.zero, c.one);
  CHECK(c.one.seen.all == std::vector<handler_run>{{0, silent, 5, 0}, {0, silent, 5, 100}});
  c.deliver(c.one, c.zero);
  CHECK(c.zero.seen.all == std::vector<handler_run>{{1, missing, 5, 0}});
  c.one.in.note_piece_failed(reinterpret_cast<std::uintptr_t>(place.data() + 100));
  c.zero.send_notice(place.data(), 100);
  c.deliver(c.zero, c.one);
  CHECK(c.one.seen.all.size() == 3);
}

TEST_CASE("unanswered requests return, the oldest first, also those that have not been sent") {
  for (const bool carried : {false, true}) {
    rank_pair c(4);
    for (am_word word = 1; word <= 3; ++word)
      c.zero.send_request(word, word == 1 ? replying : silent);
    if (carried) {
      c.deliver(c.zero, c.one);
      c.deliver(c.one, c.zero);  // the answer, and a count of two silent ones
    }
    c.zero.out.end();
    CHECK_FALSE(c.zero.send_request(4));
    CHECK_FALSE(c.zero.out.is_full());
    failure_sink all;
    c.zero.out.fail_pending(all, 1, carried);
    CHECK(all.words == (carried ? std::vector<am_word>{4} : std::vector<am_word>{1, 2, 3, 4}));
    CHECK(all.unknown == carried);
  }
}

TEST_CASE("after the pair has failed no frame is opened") {
  rank_pair c;
  c.zero.out.end();
  for (am_word word = 0; word < 8; ++word) CHECK_FALSE(c.zero.send_request(word));
  c.zero.out.reply(replied, 1, 0, 0, 0);
  CHECK_FALSE(c.zero.out.has_messages());
}

}  // namespace protocol_frames

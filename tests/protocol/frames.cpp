// Messages into frames and out of them, and what frames may not say.
#include "frame_pair.hpp"

using namespace am_test;

TEST_CASE("a frame has to leave with the first request, and then when it is full") {
  couple c(64, 256);
  CHECK(c.zero.ask(1));
  (void)c.zero.out.close();
  am_word count = 1;
  while (!c.zero.ask(++count)) CHECK_FALSE(c.zero.out.is_full());
  CHECK(c.zero.out.is_full());
  CHECK(count > 4);
}

TEST_CASE("messages of every kind come out as they went in, and their answers") {
  couple c;
  const bytes payload(100, std::byte{9});
  int place = 0;
  const am_word words[AM_WORDS] = {3};
  c.zero.ask(1);
  c.zero.ask(2, silent);
  c.zero.credits.take();
  (void)c.zero.out.medium(asking, words, payload.data(), payload.size());
  c.zero.tell(&place, sizeof place);
  c.zero.ask(4, 77);  // there is no such handler
  CHECK(c.deliver(c.zero, c.one) == stop::end_of_frame);
  CHECK(c.one.seen.all == std::vector<ran>{{0, asking, 1, 0},
                                           {0, silent, 2, 0},
                                           {0, asking, 3, payload.size()},
                                           {0, silent, 5, sizeof place}});
  CHECK(c.one.out.has_to_answer());
  CHECK(c.deliver(c.one, c.zero) == stop::end_of_frame);
  CHECK(c.zero.seen.all ==
        std::vector<ran>{{1, answered, 1, 0}, {1, answered, 3, 0}, {1, missing, 4, 0}});
  CHECK(c.zero.credits.on_their_way() == 0);
}

TEST_CASE("an answer may name a place") {
  couple c;
  const am_word words[AM_WORDS] = {6};
  c.zero.ask(1, silent);
  c.one.out.reply_at(answered, words, &c, 0);
  CHECK(c.deliver(c.one, c.zero) == stop::end_of_frame);
  CHECK(c.zero.seen.all == std::vector<ran>{{1, answered, 6, 0}});
}

TEST_CASE("a request with room is answered, whatever its handler does, and the answer says so") {
  using form = seam::answer::form;
  couple c;
  const am_word words[AM_WORDS] = {3};
  const bytes payload(100, std::byte{9});
  const auto ask = [&](std::uint32_t handler, std::size_t size) {
    c.zero.credits.take();
    (void)c.zero.out.asking(handler, words, payload.data(), size, 50);
  };
  ask(asking, 0);
  ask(asking, payload.size());
  ask(silent, 0);
  ask(77, 0);  // there is no such handler
  CHECK(c.deliver(c.zero, c.one) == stop::end_of_frame);
  CHECK(c.one.seen.all ==
        std::vector<ran>{{0, asking, 3, 0}, {0, asking, 3, 100}, {0, silent, 3, 0}});
  CHECK_FALSE(c.one.out.owes());
  CHECK(c.deliver(c.one, c.zero) == stop::end_of_frame);
  CHECK(c.zero.seen.gave_room ==
        std::vector<std::pair<form, std::size_t>>{
            {form::words, 0}, {form::words, 0}, {form::words, 0}, {form::returned, 0}});
  CHECK(c.zero.credits.on_their_way() == 0);
}

TEST_CASE("answers of every form come out as they went in") {
  using form = seam::answer::form;
  couple c;
  const am_word words[AM_WORDS] = {6};
  const bytes payload(100, std::byte{9});
  for (am_word i = 0; i < 4; ++i) c.zero.ask(i);
  c.one.out.answer({form::words, answered, words});
  c.one.out.answer({form::payload, answered, words, payload.data(), payload.size()});
  c.one.out.answer({form::placed, answered, words, &c, 70});
  c.one.out.answer({form::returned, answered, words, nullptr, 0, AM_ARGUMENT_HANDLER});
  CHECK(c.deliver(c.one, c.zero) == stop::end_of_frame);
  CHECK(c.zero.seen.all ==
        std::vector<ran>{
            {1, answered, 6, 0}, {1, answered, 6, 100}, {1, answered, 6, 70}, {1, missing, 6, 0}});
  CHECK(c.zero.seen.gave_room ==
        std::vector<std::pair<form, std::size_t>>{
            {form::words, 0}, {form::payload, 100}, {form::placed, 70}, {form::returned, 0}});
  CHECK(c.zero.credits.on_their_way() == 0);
}

TEST_CASE("a budget ends inside a frame, and the frame may move before it goes on") {
  couple c;
  for (am_word word = 0; word < 3; ++word) c.zero.ask(word, silent);
  REQUIRE(c.carry(c.zero, c.one) == found::frame);
  unsigned budget = 2;
  CHECK(c.one.in.deliver(budget) == stop::budget);
  CHECK(budget == 0);
  CHECK(c.one.in.is_inside());
  CHECK(c.one.in.deliver(budget) == stop::budget);
  CHECK(c.one.seen.all.size() == 2);
  c.frame = std::make_unique<aligned_bytes>(c.frame->all());
  c.one.in.has_moved(c.frame->all().data());
  budget = 1;
  CHECK(c.one.in.deliver(budget) == stop::end_of_frame);
  CHECK_FALSE(c.one.in.is_inside());
  CHECK(c.one.seen.all.back() == ran{0, silent, 2, 0});
}

TEST_CASE("what becomes full of answers leaves before the next request is handled") {
  couple c(64, full);
  rank small(1, 64, 128);
  for (am_word word = 0; word < 20; ++word) c.zero.ask(word);
  const aligned_bytes asked(c.zero.out.close());
  REQUIRE(small.in.begin(asked.all()) == found::frame);
  unsigned budget = plenty;
  unsigned frames = 0;
  stop why = stop::full_frame;
  while (why != stop::end_of_frame) {
    why = small.in.deliver(budget);
    CHECK(small.out.is_full() == (why == stop::full_frame));
    CHECK(c.deliver(small, c.zero) == stop::end_of_frame);
    ++frames;
  }
  CHECK(frames > 2);
  REQUIRE(c.zero.seen.all.size() == 20);
  for (am_word word = 0; word < 20; ++word) CHECK(c.zero.seen.all[word].word == word);
}

TEST_CASE("silence waits for a poll that finds nothing, unless somebody waits for it") {
  couple c(8);
  c.zero.ask(1, silent);
  c.deliver(c.zero, c.one);
  CHECK(c.one.out.owes());
  CHECK_FALSE(c.one.out.has_to_answer());
  for (am_word word = 2; word <= 8; ++word) c.zero.ask(word, word == 2 ? silent : asking);
  CHECK(c.zero.credits.free() == 0);
  c.deliver(c.zero, c.one);
  CHECK(c.one.out.has_to_answer());
  REQUIRE(c.carry(c.one, c.zero) == found::frame);
  CHECK(c.zero.in.ended_shortage());
  CHECK(c.zero.credits.free() == 2);
  CHECK_FALSE(c.one.out.owes());
}

TEST_CASE("who has no credit left is told of silence at once") {
  couple c(100);  // a count that is due by itself only at 25
  for (am_word word = 0; word < 99; ++word) c.zero.ask(word);
  c.deliver(c.zero, c.one);
  (void)c.one.out.close();
  c.zero.ask(99, silent);
  c.deliver(c.zero, c.one);
  CHECK_FALSE(c.one.out.has_messages());
  CHECK(c.one.out.has_to_answer());
}

TEST_CASE("silence of requests that there were not is trouble") {
  couple c;
  c.zero.ask(1, silent);
  c.one.out.count_silent();
  c.one.out.count_silent();
  CHECK(c.carry(c.one, c.zero) == found::trouble);
  CHECK(c.zero.in.trouble() == "2 silent requests, with 1 on their way");
}

TEST_CASE("answers to more requests than there were are trouble, those before them are handled") {
  couple c;
  c.zero.ask(1, silent);
  for (am_word word = 0; word < 2; ++word) c.one.out.reply(answered, word, 0, 0, 0);
  CHECK(c.deliver(c.one, c.zero) == stop::trouble);
  CHECK(c.zero.in.trouble() == "it answers more than there were requests");
  CHECK(c.zero.seen.all == std::vector<ran>{{1, answered, 0, 0}});
}

TEST_CASE("a goodbye is good if all is answered for, in its own frame at the latest") {
  couple good;
  good.zero.ask(1, silent);
  good.one.out.count_silent();
  good.one.out.goodbye();
  CHECK(good.deliver(good.one, good.zero) == stop::goodbye);
  couple bad;
  bad.zero.ask(1, silent);
  bad.one.out.goodbye();
  CHECK(bad.deliver(bad.one, bad.zero) == stop::trouble);
  CHECK(bad.zero.in.trouble() == "it has left and owes answers");
}

TEST_CASE("a goodbye is none while bytes are on their way to the one who says it") {
  couple c;
  c.zero.credits.take();
  c.zero.credits.hold();
  c.one.out.goodbye();
  CHECK(c.deliver(c.one, c.zero) == stop::trouble);
  CHECK(c.zero.in.trouble() == "it has left while bytes were on their way to it");
}

TEST_CASE("a piece fills its frame and ends it, behind the messages before it") {
  couple c;
  c.zero.ask(1, silent);
  c.zero.out.piece(4096, 100);
  CHECK(c.zero.out.is_full());
  CHECK(c.deliver(c.zero, c.one) == stop::piece);
  CHECK_FALSE(c.one.in.is_inside());
  CHECK(c.one.in.piece().where == 4096);
  CHECK(c.one.in.piece().bytes == 100);
  CHECK(c.one.seen.all.size() == 1);
}

TEST_CASE("a notice of bytes that missed their place goes back, and no other one") {
  couple c;
  bytes place(100);
  c.one.in.has_missed(reinterpret_cast<std::uintptr_t>(&place[99]));
  c.zero.tell(place.data(), 0);
  c.zero.tell(place.data(), 100);
  c.zero.tell(place.data(), 100);
  c.deliver(c.zero, c.one);
  CHECK(c.one.seen.all == std::vector<ran>{{0, silent, 5, 0}, {0, silent, 5, 100}});
  c.deliver(c.one, c.zero);
  CHECK(c.zero.seen.all == std::vector<ran>{{1, missing, 5, 0}});
  c.one.in.has_missed(reinterpret_cast<std::uintptr_t>(place.data() + 100));
  c.zero.tell(place.data(), 100);
  c.deliver(c.zero, c.one);
  CHECK(c.one.seen.all.size() == 3);
}

TEST_CASE("what is not answered for comes back, the oldest first, also what nobody has carried") {
  for (const bool carried : {false, true}) {
    couple c(4);
    for (am_word word = 1; word <= 3; ++word) c.zero.ask(word, word == 1 ? asking : silent);
    if (carried) {
      c.deliver(c.zero, c.one);
      c.deliver(c.one, c.zero);  // the answer, and that two were silent
    }
    c.zero.out.end();
    CHECK_FALSE(c.zero.ask(4));
    CHECK_FALSE(c.zero.out.is_full());
    mourner all;
    c.zero.out.give_up(all, 1, carried);
    CHECK(all.words == (carried ? std::vector<am_word>{4} : std::vector<am_word>{1, 2, 3, 4}));
    CHECK(all.unknown == carried);
  }
}

TEST_CASE("where nothing leaves any more no frame is open") {
  couple c;
  c.zero.out.end();
  for (am_word word = 0; word < 8; ++word) CHECK_FALSE(c.zero.ask(word));
  c.zero.out.reply(answered, 1, 0, 0, 0);
  CHECK_FALSE(c.zero.out.has_messages());
}

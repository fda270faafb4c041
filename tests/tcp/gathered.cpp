// Puts that leave together: copied, or lent with their notices at once.
#include "../support/mourner.hpp"
#include "puts.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace am_test;

TEST_CASE("a few bytes are not put, nor is what fits a message while another put is in pieces") {
  pair p(8);
  p.open();
  const bytes data = numbered(std::size_t{3} << 20);
  seam::transfer few = of(data.data(), 1000);
  CHECK(p.channel.put(few) == reach::no_way);
  seam::transfer more = of(data.data(), wire::most_put_in_messages + 1);
  more.at_once = true;  // nobody waits for it
  CHECK(p.channel.put(more) == reach::no_way);
  seam::transfer large = of(data.data(), data.size());
  put(p, large);
  REQUIRE(large.at == reach::under_way);
  seam::transfer fits = of(data.data(), wire::most_put_in_messages);
  CHECK(p.channel.put(fits) == reach::no_way);
  fits.stays = true;
  CHECK(p.channel.put(fits) == reach::no_way);
}

TEST_CASE("an encrypted line is handed what fits a message as one") {
  pair p(8);
  p.open_encrypted(am_test::keys_of(1, 2));
  const bytes data = numbered(wire::most_put_in_messages);
  seam::transfer one = of(data.data(), data.size());
  CHECK(p.channel.put(one) == reach::no_way);
  one.stays = true;
  CHECK(p.channel.put(one) == reach::no_way);
}

TEST_CASE("what fits a message is copied, and leaves with its notice when messages would") {
  pair p(8);
  p.open();
  p.request(1);  // so that others have company
  CHECK(p.heard().size() == 1);
  bytes data = numbered(5001);
  const bytes before = data;
  seam::transfer one = of(data.data(), data.size());
  for (int i = 0; i < 2; ++i) {
    p.channel.credits.take();
    CHECK(p.channel.put(one) == reach::done);
  }
  std::ranges::fill(data, std::byte{});
  CHECK(p.heard().empty());
  CHECK(p.channel.noted.listed);
  p.channel.flush();
  CHECK(p.channel.is_flushed());
  CHECK(kinds_of(p.heard()) == std::vector{kind::piece, kind::notice, kind::piece, kind::notice});
  REQUIRE(p.bulk.size() == 2 * before.size());
  CHECK(std::equal(before.begin(), before.end(), p.bulk.begin()));
}

TEST_CASE("a put that is copied leaves at once where nothing is unanswered") {
  pair p(1);
  p.open();
  const bytes data = numbered(wire::most_put_in_messages);
  seam::transfer one = of(data.data(), data.size());
  p.channel.credits.take();
  CHECK(p.channel.put(one) == reach::done);
  const auto all = p.heard();
  REQUIRE(kinds_of(all) == std::vector{kind::piece, kind::notice});
  CHECK(all[1].hungry);
  CHECK(p.bulk == data);
}

TEST_CASE("puts that are copied wait for room as payload does, and hear of it") {
  pair p(4096);
  p.open();
  const bytes data = numbered(wire::most_put_in_messages);
  seam::transfer one = of(data.data(), data.size());
  std::size_t accepted = 0;
  for (; p.channel.put(one) == reach::done; ++accepted) {
    p.channel.credits.take();
    REQUIRE(accepted < 1000);
  }
  CHECK(p.channel.put(one) == reach::busy);
  CHECK_FALSE(p.peers.had_news());
  for (unsigned turns = 0; turns < 10000 && !p.channel.is_flushed(); ++turns) {
    (void)p.heard();
    p.channel.go_on_sending();
    p.channel.flush();
  }
  CHECK(p.peers.had_news());
  (void)p.heard();
  CHECK(p.bulk.size() == accepted * data.size());
  CHECK(p.channel.put(one) == reach::done);
}

TEST_CASE("bytes that stay leave from their place, many in one call, with their notices") {
  pair p(100);
  p.open();
  p.request(1);
  (void)p.heard();
  const bytes data = numbered(std::size_t{40} * 1024);
  std::vector<seam::transfer> some(6);
  for (seam::transfer& one : some) one = staying(data.data(), 4097);
  for (seam::transfer& one : some) {
    put(p, one);
    CHECK(one.at == reach::under_way);
  }
  CHECK(p.channel.credits.on_their_way() == 1 + some.size());
  CHECK(p.heard().empty());
  CHECK_FALSE(p.channel.is_flushed());
  p.channel.flush();
  for (const seam::transfer& one : some) CHECK(one.at == reach::done);
  const auto all = kinds_of(p.heard());
  REQUIRE(all.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(all[i] == (i % 2 == 0 ? kind::piece : kind::notice));
  CHECK(p.bulk.size() == std::size_t{6} * 4097);
  CHECK(p.channel.is_flushed());
}

TEST_CASE("enough of them leave without a poll, and more than there are loans wait their turn") {
  pair p(1000);
  p.open();
  p.request(1);
  const bytes data = numbered(std::size_t{20} * 1024);
  std::vector<seam::transfer> large(12);
  for (seam::transfer& one : large) one = staying(data.data(), data.size());
  for (seam::transfer& one : large) put(p, one);
  CHECK(large.front().at == reach::done);
  std::vector<seam::transfer> small(100);
  for (seam::transfer& one : small) one = staying(data.data(), 2000);
  for (seam::transfer& one : small) put(p, one);
  for (unsigned turns = 0; turns < 1000 && !p.channel.is_flushed(); ++turns) {
    (void)p.heard();
    p.channel.go_on_sending();
    p.channel.flush();
  }
  for (const seam::transfer& one : small) CHECK(one.at == reach::done);
  (void)p.heard();
  CHECK(p.bulk.size() == large.size() * data.size() + small.size() * 2000);
}

TEST_CASE("a socket takes a part of what was gathered; it goes on from there, byte for byte") {
  for (const char* faults : {"", "short=2"}) {
    CAPTURE(faults);
    pair p(1000, faults);
    p.open();
    p.request(1);
    const bytes data = numbered(std::size_t{1} << 20);
    std::vector<seam::transfer> some(40);
    std::size_t at = 0;
    bytes expected;
    for (seam::transfer& one : some) {
      const std::size_t size = 1024 + at % 60'001;
      one = staying(data.data() + at, size);
      expected.insert(expected.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                      data.begin() + static_cast<std::ptrdiff_t>(at + size));
      at += 20'003;
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      put(p, some[i]);
      p.request(i);
    }
    CHECK(some.back().at == reach::under_way);
    unsigned notices = 0;
    unsigned requests = 0;
    for (unsigned turns = 0; turns < 100'000 && !p.channel.is_flushed(); ++turns) {
      for (const kind one : kinds_of(p.heard())) {
        notices += one == kind::notice;
        requests += one == kind::request;
      }
      p.channel.go_on_sending();
      p.channel.flush();
    }
    for (const kind one : kinds_of(p.heard())) {
      notices += one == kind::notice;
      requests += one == kind::request;
    }
    CHECK(notices == some.size());
    CHECK(requests == some.size() + 1);
    for (const seam::transfer& one : some) CHECK(one.at == reach::done);
    CHECK(p.bulk == expected);
  }
}

TEST_CASE("bytes that may not stay wait until those that do have gone, and the other way round") {
  pair p(100);
  p.open();
  p.request(1);
  const bytes data = numbered(std::size_t{64} * 1024);
  seam::transfer first = staying(data.data(), 4096);
  seam::transfer second = of(data.data(), data.size());
  seam::transfer third = staying(data.data(), 30000);
  put(p, first);
  put(p, second);
  put(p, third);
  CHECK(p.channel.credits.on_their_way() == 2);  // the request, and the notice of the first
  for (unsigned turns = 0; turns < 1000 && !p.channel.is_flushed(); ++turns) {
    (void)p.heard();
    p.channel.flush();
    p.channel.go_on_sending();
  }
  CHECK(first.at == reach::done);
  CHECK(second.at == reach::done);
  CHECK(third.at == reach::done);
  (void)p.heard();
  CHECK(p.bulk.size() == 4096 + data.size() + 30000);
  CHECK(p.channel.credits.on_their_way() == 4);
}

TEST_CASE("memory that was said to stay and does not: zeros go, and nothing else is lost") {
  const half_mapped memory;
  const bytes good = numbered(4096);
  const bytes zeros(std::size_t{44} * 1024);  // more zeros than one call sends
  for (std::size_t bad = 0; bad < 3; ++bad) {
    CAPTURE(bad);
    pair p(8);
    p.open();
    p.request(1);  // so that they leave together
    std::array<seam::transfer, 3> some;
    some.fill(staying(good.data(), good.size()));
    some[bad] = staying(memory.at() + half_mapped::half - 4096, zeros.size());
    bytes expected;
    for (std::size_t i = 0; i < some.size(); ++i) {
      put(p, some[i]);
      const bytes& what = i == bad ? zeros : good;
      expected.insert(expected.end(), what.begin(), what.end());
    }
    for (unsigned turns = 0; turns < 100 && !p.channel.is_flushed(); ++turns) {
      (void)p.heard();
      p.channel.flush();
      p.channel.go_on_sending();
    }
    (void)p.heard();
    for (const seam::transfer& one : some) CHECK(one.at == reach::done);
    CHECK(p.bulk == expected);
  }
}

TEST_CASE("a message that looks for room tells of the lent bytes that it has sent") {
  pair p(4096);
  p.open();
  const bytes data = numbered(wire::most_put_in_messages);
  const am_word words[AM_WORDS] = {};
  const auto send = [&](std::size_t size) {
    p.channel.credits.take();
    const am_status status = p.channel.send_medium(silent, words, data.data(), size);
    if (status != AM_OK) p.channel.credits.put_back();
    return status == AM_OK;
  };
  while (!p.channel.waits()) REQUIRE(send(data.size()));
  seam::transfer one = staying(data.data(), data.size());
  put(p, one);
  while (send(data.size())) continue;
  CHECK(one.at == reach::under_way);
  p.channel.flush();  // so that no full frame goes, which would tell as well
  (void)p.heard();    // the socket takes more
  CHECK(send(8));
  CHECK(one.at == reach::done);
}

TEST_CASE("whoever asks for credits and never polls sends what waits for the socket") {
  pair p(8);
  p.open();
  const bytes data = numbered(std::size_t{8} << 20);
  seam::transfer one = of(data.data(), data.size());
  put(p, one);
  CHECK(one.at == reach::under_way);
  for (unsigned turns = 0; turns < 10'000 && one.at != reach::done; ++turns) {
    (void)p.heard();
    p.channel.refresh();
  }
  CHECK(one.at == reach::done);
}

TEST_CASE("no more than 1 MiB is lent at a time, so that other messages need not wait long") {
  pair p(100);
  p.open();
  const bytes data = numbered(std::size_t{512} << 10);
  std::vector<seam::transfer> some(10);
  for (seam::transfer& one : some) {
    one = staying(data.data(), data.size());
    put(p, one);
  }
  const auto lent = p.channel.credits.on_their_way();
  CHECK(lent <= 4);  // the socket has had some of it
  for (unsigned turns = 0; turns < 100'000 && !p.channel.is_flushed(); ++turns) {
    (void)p.heard();
    p.channel.go_on_sending();
    p.channel.flush();
  }
  for (const seam::transfer& one : some) CHECK(one.at == reach::done);
  CHECK(p.channel.credits.on_their_way() == some.size());
}

TEST_CASE("where the pair is lost, notices that were accepted come back as requests do") {
  pair p(100);
  p.open();
  p.request(1);
  const bytes data = numbered(std::size_t{3} << 20);
  std::vector<seam::transfer> some(40);
  for (seam::transfer& one : some) one = staying(data.data(), 2000);
  seam::transfer last = of(data.data(), data.size());
  for (seam::transfer& one : some) put(p, one);
  put(p, last);
  p.channel.lose("the test says so");
  CHECK(p.channel.credits.on_their_way() == 1 + some.size());
  mourner requests;
  p.channel.give_up(requests);
  CHECK(requests.words.size() == 1 + some.size());
  for (const seam::transfer& one : some) CHECK(one.at == reach::done);
  CHECK(last.at == reach::no_way);
}

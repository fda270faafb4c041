// Puts that are sent together: copied, or sent in place with their notices at once.
#include "../support/failure_sink.hpp"
#include "puts.hpp"

#include <doctest/doctest.h>

#include <array>

namespace tcp_gathered {

using namespace am_test;

TEST_CASE("a few bytes are not put, nor is an eager put while another one is in pieces") {
  pair p(8);
  p.open();
  const bytes data = numbered(std::size_t{3} << 20);
  seam::transfer few = transfer_of(data.data(), 1000);
  CHECK(p.channel.put(few) == transfer_status::unsupported);
  seam::transfer more = transfer_of(data.data(), wire::most_eager_bytes + 1);
  more.at_once = true;  // no call waits for it
  CHECK(p.channel.put(more) == transfer_status::unsupported);
  seam::transfer large = transfer_of(data.data(), data.size());
  put(p, large);
  REQUIRE(large.status == transfer_status::under_way);
  seam::transfer fits = transfer_of(data.data(), wire::most_eager_bytes);
  CHECK(p.channel.put(fits) == transfer_status::unsupported);
  fits.source_stable = true;
  CHECK(p.channel.put(fits) == transfer_status::unsupported);
}

TEST_CASE("an encrypted link gets an eager put as a message") {
  pair p(8);
  p.open_encrypted(am_test::keys_of(1, 2));
  const bytes data = numbered(wire::most_eager_bytes);
  seam::transfer one = transfer_of(data.data(), data.size());
  CHECK(p.channel.put(one) == transfer_status::unsupported);
  one.source_stable = true;
  CHECK(p.channel.put(one) == transfer_status::unsupported);
}

TEST_CASE("an eager put is copied, and sent with its notice when messages would be") {
  pair p(8);
  p.open();
  p.request(1);  // so that the next ones are batched
  CHECK(p.received_messages().size() == 1);
  bytes data = numbered(5001);
  const bytes before = data;
  seam::transfer one = transfer_of(data.data(), data.size());
  for (int i = 0; i < 2; ++i) {
    p.channel.credits.take();
    CHECK(p.channel.put(one) == transfer_status::done);
  }
  std::ranges::fill(data, std::byte{});
  CHECK(p.received_messages().empty());
  CHECK(p.channel.flags.has_open_frame);
  p.channel.flush();
  CHECK(p.channel.is_flushed());
  CHECK(kinds_of(p.received_messages()) ==
        std::vector{kind::piece, kind::notice, kind::piece, kind::notice});
  REQUIRE(p.bulk.size() == 2 * before.size());
  CHECK(std::equal(before.begin(), before.end(), p.bulk.begin()));
}

TEST_CASE("a put that is copied is sent at once where nothing is unanswered") {
  pair p(1);
  p.open();
  const bytes data = numbered(wire::most_eager_bytes);
  seam::transfer one = transfer_of(data.data(), data.size());
  p.channel.credits.take();
  CHECK(p.channel.put(one) == transfer_status::done);
  const auto all = p.received_messages();
  REQUIRE(kinds_of(all) == std::vector{kind::piece, kind::notice});
  CHECK(all[1].credit_requested);
  CHECK(p.bulk == data);
}

TEST_CASE("copied puts wait for room as payloads do, and are notified of it") {
  pair p(4096);
  p.open();
  const bytes data = numbered(wire::most_eager_bytes);
  seam::transfer one = transfer_of(data.data(), data.size());
  std::size_t accepted = 0;
  for (; p.channel.put(one) == transfer_status::done; ++accepted) {
    p.channel.credits.take();
    REQUIRE(accepted < 1000);
  }
  CHECK(p.channel.put(one) == transfer_status::busy);
  CHECK_FALSE(p.peers.take_credits_or_room());
  for (unsigned rounds = 0; rounds < 10000 && !p.channel.is_flushed(); ++rounds) {
    (void)p.received_messages();
    p.channel.resume_sending();
    p.channel.flush();
  }
  CHECK(p.peers.take_credits_or_room());
  (void)p.received_messages();
  CHECK(p.bulk.size() == accepted * data.size());
  CHECK(p.channel.put(one) == transfer_status::done);
}

TEST_CASE("stable bytes are sent in place, many in one call, with their notices") {
  pair p(100);
  p.open();
  p.request(1);
  (void)p.received_messages();
  const bytes data = numbered(std::size_t{40} * 1024);
  std::vector<seam::transfer> some(6);
  for (seam::transfer& one : some) one = stable_transfer(data.data(), 4097);
  for (seam::transfer& one : some) {
    put(p, one);
    CHECK(one.status == transfer_status::under_way);
  }
  CHECK(p.channel.credits.in_flight() == 1 + some.size());
  CHECK(p.received_messages().empty());
  CHECK_FALSE(p.channel.is_flushed());
  p.channel.flush();
  for (const seam::transfer& one : some) CHECK(one.status == transfer_status::done);
  const auto all = kinds_of(p.received_messages());
  REQUIRE(all.size() == 12);
  for (std::size_t i = 0; i < 12; ++i) CHECK(all[i] == (i % 2 == 0 ? kind::piece : kind::notice));
  CHECK(p.bulk.size() == std::size_t{6} * 4097);
  CHECK(p.channel.is_flushed());
}

TEST_CASE("enough of them are sent without a poll, and those beyond the limit wait") {
  pair p(1000);
  p.open();
  p.request(1);
  const bytes data = numbered(std::size_t{20} * 1024);
  std::vector<seam::transfer> large(12);
  for (seam::transfer& one : large) one = stable_transfer(data.data(), data.size());
  for (seam::transfer& one : large) put(p, one);
  CHECK(large.front().status == transfer_status::done);
  std::vector<seam::transfer> small(100);
  for (seam::transfer& one : small) one = stable_transfer(data.data(), 2000);
  for (seam::transfer& one : small) put(p, one);
  for (unsigned rounds = 0; rounds < 1000 && !p.channel.is_flushed(); ++rounds) {
    (void)p.received_messages();
    p.channel.resume_sending();
    p.channel.flush();
  }
  for (const seam::transfer& one : small) CHECK(one.status == transfer_status::done);
  (void)p.received_messages();
  CHECK(p.bulk.size() == large.size() * data.size() + small.size() * 2000);
}

TEST_CASE("a socket takes a part of the gathered bytes; the rest follows, byte for byte") {
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
      one = stable_transfer(data.data() + at, size);
      expected.insert(expected.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
                      data.begin() + static_cast<std::ptrdiff_t>(at + size));
      at += 20'003;
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      put(p, some[i]);
      p.request(i);
    }
    CHECK(some.back().status == transfer_status::under_way);
    unsigned notices = 0;
    unsigned requests = 0;
    for (unsigned rounds = 0; rounds < 100'000 && !p.channel.is_flushed(); ++rounds) {
      for (const kind one : kinds_of(p.received_messages())) {
        notices += one == kind::notice;
        requests += one == kind::request;
      }
      p.channel.resume_sending();
      p.channel.flush();
    }
    for (const kind one : kinds_of(p.received_messages())) {
      notices += one == kind::notice;
      requests += one == kind::request;
    }
    CHECK(notices == some.size());
    CHECK(requests == some.size() + 1);
    for (const seam::transfer& one : some) CHECK(one.status == transfer_status::done);
    CHECK(p.bulk == expected);
  }
}

TEST_CASE("unstable bytes wait until stable ones are sent, and the other way round") {
  pair p(100);
  p.open();
  p.request(1);
  const bytes data = numbered(std::size_t{64} * 1024);
  seam::transfer first = stable_transfer(data.data(), 4096);
  seam::transfer second = transfer_of(data.data(), data.size());
  seam::transfer third = stable_transfer(data.data(), 30000);
  put(p, first);
  put(p, second);
  put(p, third);
  CHECK(p.channel.credits.in_flight() == 2);  // the request, and the notice of the first
  for (unsigned rounds = 0; rounds < 1000 && !p.channel.is_flushed(); ++rounds) {
    (void)p.received_messages();
    p.channel.flush();
    p.channel.resume_sending();
  }
  CHECK(first.status == transfer_status::done);
  CHECK(second.status == transfer_status::done);
  CHECK(third.status == transfer_status::done);
  (void)p.received_messages();
  CHECK(p.bulk.size() == 4096 + data.size() + 30000);
  CHECK(p.channel.credits.in_flight() == 4);
}

TEST_CASE("stable memory that is unmapped after all: zeros are sent, and nothing else is lost") {
  const half_mapped memory;
  const bytes good = numbered(4096);
  const bytes zeros(std::size_t{44} * 1024);  // more zeros than one call sends
  for (std::size_t bad = 0; bad < 3; ++bad) {
    CAPTURE(bad);
    pair p(8);
    p.open();
    p.request(1);  // so that they are sent together
    std::array<seam::transfer, 3> some;
    some.fill(stable_transfer(good.data(), good.size()));
    some[bad] = stable_transfer(memory.at() + half_mapped::half - 4096, zeros.size());
    bytes expected;
    for (std::size_t i = 0; i < some.size(); ++i) {
      put(p, some[i]);
      const bytes& what = i == bad ? zeros : good;
      expected.insert(expected.end(), what.begin(), what.end());
    }
    for (unsigned rounds = 0; rounds < 100 && !p.channel.is_flushed(); ++rounds) {
      (void)p.received_messages();
      p.channel.flush();
      p.channel.resume_sending();
    }
    (void)p.received_messages();
    for (const seam::transfer& one : some) CHECK(one.status == transfer_status::done);
    CHECK(p.bulk == expected);
  }
}

TEST_CASE("a message that looks for room reports the bytes in place that were sent") {
  pair p(4096);
  p.open();
  const bytes data = numbered(wire::most_eager_bytes);
  const am_word words[AM_WORDS] = {};
  const auto send = [&](std::size_t size) {
    p.channel.credits.take();
    const am_status status = p.channel.send_medium(silent, words, data.data(), size);
    if (status != AM_OK) p.channel.credits.put_back();
    return status == AM_OK;
  };
  while (!p.channel.is_blocked()) REQUIRE(send(data.size()));
  seam::transfer one = stable_transfer(data.data(), data.size());
  put(p, one);
  while (send(data.size())) continue;
  CHECK(one.status == transfer_status::under_way);
  p.channel.flush();            // so that no full frame is sent, which would report it as well
  (void)p.received_messages();  // the socket has room again
  CHECK(send(8));
  CHECK(one.status == transfer_status::done);
}

TEST_CASE("a rank that refreshes credits and never polls sends what waits for the socket") {
  pair p(8);
  p.open();
  const bytes data = numbered(std::size_t{8} << 20);
  seam::transfer one = transfer_of(data.data(), data.size());
  put(p, one);
  CHECK(one.status == transfer_status::under_way);
  for (unsigned rounds = 0; rounds < 10'000 && one.status != transfer_status::done; ++rounds) {
    (void)p.received_messages();
    p.channel.refresh_credits();
  }
  CHECK(one.status == transfer_status::done);
}

TEST_CASE("at most 1 MiB is sent in place at a time, so that other messages do not wait long") {
  pair p(100);
  p.open();
  const bytes data = numbered(std::size_t{512} << 10);
  std::vector<seam::transfer> some(10);
  for (seam::transfer& one : some) {
    one = stable_transfer(data.data(), data.size());
    put(p, one);
  }
  const auto queued = p.channel.credits.in_flight();
  CHECK(queued <= 4);  // the socket has taken some of it
  for (unsigned rounds = 0; rounds < 100'000 && !p.channel.is_flushed(); ++rounds) {
    (void)p.received_messages();
    p.channel.resume_sending();
    p.channel.flush();
  }
  for (const seam::transfer& one : some) CHECK(one.status == transfer_status::done);
  CHECK(p.channel.credits.in_flight() == some.size());
}

TEST_CASE("when the pair is lost, accepted notices return as requests do") {
  pair p(100);
  p.open();
  p.request(1);
  const bytes data = numbered(std::size_t{3} << 20);
  std::vector<seam::transfer> some(40);
  for (seam::transfer& one : some) one = stable_transfer(data.data(), 2000);
  seam::transfer last = transfer_of(data.data(), data.size());
  for (seam::transfer& one : some) put(p, one);
  put(p, last);
  p.channel.lose("the test says so", packed::loss_cause::error);
  CHECK(p.channel.credits.in_flight() == 1 + some.size());
  failure_sink requests;
  p.channel.fail_pending(requests);
  CHECK(requests.words.size() == 1 + some.size());
  for (const seam::transfer& one : some) CHECK(one.status == transfer_status::done);
  CHECK(last.status == transfer_status::unsupported);
}

}  // namespace tcp_gathered

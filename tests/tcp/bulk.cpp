// Bulk data out of local memory and into it, frame by frame and byte by byte.
#include "../support/failure_sink.hpp"
#include "puts.hpp"

#include <doctest/doctest.h>

namespace tcp_bulk {

using namespace am_test;

namespace {
constexpr std::size_t frame_of_notice = 64;  // bytes of the frame behind a piece
}

TEST_CASE("a put is sent in pieces of 1 MiB, and its notice behind the last") {
  pair p(8);
  p.open();
  const bytes data = numbered((std::size_t{2} << 20) + 12345);
  seam::transfer one = transfer_of(data.data(), data.size());
  put(p, one);
  std::vector<wire::message> all;
  for (unsigned rounds = 0; rounds < 10000 && one.status == transfer_status::under_way; ++rounds) {
    p.channel.resume_sending();
    std::ranges::copy(p.received_messages(), std::back_inserter(all));
  }
  p.channel.flush();
  std::ranges::copy(p.received_messages(), std::back_inserter(all));
  REQUIRE(one.status == transfer_status::done);
  REQUIRE(all.size() == 4);
  std::uint64_t where = reinterpret_cast<std::uintptr_t>(there);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(all[i].kind == wire::message_kind::piece);
    CHECK(all[i].where == where);
    where += all[i].bytes;
  }
  CHECK(all[3].kind == wire::message_kind::notice);
  CHECK(all[3].bytes == data.size());
  CHECK(all[3].words[0] == 42);
  CHECK(p.bulk == data);
}

TEST_CASE("puts are sent one after the other; messages are sent between two pieces") {
  pair p(8);
  p.open();
  const bytes data = numbered(std::size_t{3} << 20);
  seam::transfer one = transfer_of(data.data(), data.size());
  seam::transfer other = one;
  put(p, one);
  put(p, other);
  CHECK(p.manager.write_blocked);  // a socket takes less than that
  CHECK_FALSE(p.channel.is_flushed());
  p.request(1);
  p.channel.flush();
  std::vector<wire::message_kind> kinds;
  const auto go_on = [&] {
    for (const auto& each : p.received_messages()) kinds.push_back(each.kind);
    p.channel.resume_sending();
  };
  for (unsigned rounds = 0; rounds < 10000 && one.status == transfer_status::under_way; ++rounds)
    go_on();
  const auto request_at = std::ranges::find(kinds, wire::message_kind::request);
  CHECK(request_at - kinds.begin() == 1);
  CHECK(other.status == transfer_status::under_way);
  for (unsigned rounds = 0; rounds < 10000 && other.status == transfer_status::under_way; ++rounds)
    go_on();
  p.channel.flush();
  go_on();
  CHECK(other.status == transfer_status::done);
  CHECK(std::ranges::count(kinds, wire::message_kind::notice) == 2);
  CHECK(p.bulk.size() == 2 * data.size());
}

TEST_CASE("a put proceeds with the frames of a caller that never polls") {
  pair p(4096);
  p.open();
  const bytes data = numbered(std::size_t{3} << 20);
  seam::transfer one = transfer_of(data.data(), data.size());
  put(p, one);
  std::uint32_t answered = 0;
  for (unsigned rounds = 0; rounds < 1000 && one.status == transfer_status::under_way; ++rounds) {
    (void)p.received_messages();
    for (am_word i = 0; i < 3000; ++i) p.request(i, i);  // more than a frame of them
    (void)p.received_messages();
    p.send_frame({}, answered += 3000);
    p.channel.take_messages(64);
  }
  CHECK(one.status == transfer_status::done);
  CHECK(std::equal(p.bulk.begin(), p.bulk.end(), data.begin(), data.end()));
}

TEST_CASE("unreadable bytes: zeros are sent, and no notice") {
  pair p(8);
  p.open();
  const half_mapped memory;
  seam::transfer one = transfer_of(memory.at(), 2 * half_mapped::half);
  put(p, one);
  for (unsigned rounds = 0; rounds < 1000 && one.status == transfer_status::under_way; ++rounds) {
    p.received_messages();
    p.channel.resume_sending();
  }
  CHECK(one.status == transfer_status::bad_local_address);
  CHECK(p.channel.credits.free() == 8);
  p.received_messages();
  CHECK(p.bulk.size() == 2 * half_mapped::half);
  // The connection continues.
  const bytes good = numbered(wire::most_eager_bytes + 100);
  seam::transfer next = transfer_of(good.data(), good.size());
  put(p, next);
  CHECK(next.status == transfer_status::done);
  const auto all = p.received_messages();
  REQUIRE(all.size() == 2);
  CHECK(all[1].kind == wire::message_kind::notice);
}

TEST_CASE("when the pair is lost and puts are failed they end, and none has a notice") {
  pair p(8);
  p.open();
  const bytes data = numbered(std::size_t{3} << 20);
  seam::transfer one = transfer_of(data.data(), data.size());
  seam::transfer other = one;
  put(p, one);
  put(p, other);
  p.channel.lose("the test says so", packed::loss_cause::error);
  CHECK(one.status == transfer_status::under_way);
  failure_sink requests;
  p.channel.fail_pending(requests);
  CHECK(one.status == transfer_status::unsupported);
  CHECK(other.status == transfer_status::unsupported);
  CHECK(requests.words.empty());
}

TEST_CASE("small pieces for known memory are stored one behind the other from one read") {
  const bytes data = numbered(3000);
  bytes places(std::size_t{10} * 3000);
  pair p(8);
  p.seen.known = places;
  p.open();
  bytes all;
  for (std::size_t i = 0; i < 10; ++i) {
    const bytes one = store_of(p, data, places.data() + i * data.size());
    all.insert(all.end(), one.begin(), one.end());
  }
  for (const std::size_t cut : {std::size_t{1700}, all.size() - 1700}) {
    p.send_bytes(std::span(all).first(cut));
    p.channel.take_messages(64);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(cut));
  }
  CHECK(p.seen.all.size() == 10);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(std::equal(data.begin(), data.end(),
                     places.begin() + static_cast<std::ptrdiff_t>(i * data.size())));
}

TEST_CASE("a frame that is longer than the one before a large piece is read to its end") {
  const bytes data = numbered(std::size_t{40} * 1024);
  bytes place(data.size());
  pair p(4096);
  p.open();
  const bytes first = store_of(p, data, place.data());
  p.send_bytes(std::span(first).first(first.size() - frame_of_notice));
  for (int i = 0; i < 10; ++i) p.channel.take_messages(64);
  CHECK(place == data);
  CHECK(p.seen.all.empty());
  bytes rest(first.end() - frame_of_notice, first.end());
  for (am_word i = 0; i < 100; ++i) p.packer.add(request(silent, {i, 0, 0, 0}));
  const auto frame = p.packer.close(0);
  rest.insert(rest.end(), frame.begin(), frame.end());
  p.send_bytes(rest);
  CHECK(p.channel.take_messages(1000) == 101);
  CHECK(p.manager.lost == "");
}

TEST_CASE("a piece is stored at its address, however the stream is cut") {
  const bytes data = numbered(1000);
  for (const std::size_t cut :
       {std::size_t{1}, std::size_t{7}, std::size_t{48}, std::size_t{600}}) {
    CAPTURE(cut);
    pair p(8);
    p.open();
    bytes place(data.size());
    const bytes all = store_of(p, data, place.data());
    for (std::size_t at = 0; at < all.size(); at += cut) {
      CHECK(p.seen.all.empty());
      p.send_bytes(std::span(all).subspan(at, std::min(cut, all.size() - at)));
      p.channel.take_messages(64);
    }
    CHECK(place == data);
    CHECK(p.seen.all == std::vector<recorder::handler_run>{{1, silent, 5, data.size()}});
    CHECK(p.manager.lost == "");
  }
}

TEST_CASE("a piece for unmapped memory is skipped, and its notice returns") {
  const bytes data = numbered(2 * half_mapped::half);
  const half_mapped memory;
  for (const std::size_t cut : {data.size() + 200, std::size_t{4096}, std::size_t{333}}) {
    CAPTURE(cut);
    pair p(8);
    p.open();
    const bytes all = store_of(p, data, memory.at());
    for (std::size_t at = 0; at < all.size(); at += cut) {
      p.send_bytes(std::span(all).subspan(at, std::min(cut, all.size() - at)));
      p.channel.take_messages(64);
    }
    CHECK(p.seen.all.empty());
    for (unsigned rounds = 0; rounds < 100; ++rounds) p.channel.take_messages(64);
    const auto back = p.received_messages();
    REQUIRE(back.size() == 1);
    CHECK(back[0].kind == wire::message_kind::returned);
    CHECK(back[0].reason == AM_ARGUMENT_ADDRESS);
    CHECK(back[0].words[0] == 5);
    // The next piece is stored.
    bytes place(100);
    p.send_bytes(store_of(p, numbered(100), place.data()));
    p.channel.take_messages(64);
    CHECK(place == numbered(100));
    CHECK(p.seen.all.size() == 1);
  }
}

TEST_CASE("a piece for an impossible address is skipped with its padding") {
  const bytes data = numbered(1001);
  pair p(8);
  p.open();
  const bytes all = store_of(p, data, reinterpret_cast<void*>(0xdeadbeefdeadbeef));
  const std::size_t fill = wire::padding_before(wire::payload_step, data.size());
  const std::size_t frame = all.size() - frame_of_notice - fill - data.size();
  std::size_t at = 0;
  for (const std::size_t bytes : {frame, data.size(), fill, frame_of_notice}) {
    p.send_bytes(std::span(all).subspan(at, bytes));
    at += bytes;
    for (int i = 0; i < 4; ++i) p.channel.take_messages(64);
  }
  const auto back = p.received_messages();
  REQUIRE(back.size() == 1);
  CHECK(back[0].reason == AM_ARGUMENT_ADDRESS);
}

TEST_CASE("a piece whose bytes have not arrived prevents no sleep") {
  const bytes data = numbered(1000);
  bytes place(data.size());
  pair p(8);
  p.open();
  const bytes all = store_of(p, data, place.data());
  const std::size_t frame = all.size() - frame_of_notice - wire::round_up_to_step(data.size());
  p.send_bytes(std::span(all).first(frame));
  p.channel.take_messages(64);
  p.channel.take_messages(64);
  CHECK_FALSE(p.channel.has_more());
  p.send_bytes(std::span(all).subspan(frame));
  p.channel.take_messages(64);
  p.channel.take_messages(64);
  CHECK(place == data);
  CHECK(p.seen.all.size() == 1);
}

TEST_CASE("a notice of no bytes does not hide that the bytes of another were not stored") {
  const bytes data = numbered(2 * half_mapped::half);
  const half_mapped memory;
  pair p(8);
  p.open();
  const auto address = reinterpret_cast<std::uintptr_t>(memory.at());
  p.packer.add(piece(address, data.size()));
  p.send_bytes(p.packer.close(0));
  p.send_bytes(data);
  wire::message notice = request(silent, {5, 0, 0, 0});
  notice.kind = wire::message_kind::notice;
  notice.where = address;
  notice.bytes = 0;
  p.packer.add(notice);
  notice.bytes = data.size();
  p.packer.add(notice);
  p.send_bytes(p.packer.close(0));
  for (int i = 0; i < 10; ++i) p.channel.take_messages(64);
  CHECK(p.seen.all == std::vector<recorder::handler_run>{{1, silent, 5, 0}});
  CHECK(p.manager.lost == "");
}

}  // namespace tcp_bulk

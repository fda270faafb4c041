// Messages are read from frames as they were written, in order, and whatever the pieces in which
// bytes arrive.
#include "messages.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <deque>
#include <random>

using namespace am_test;

namespace {

// Random messages of all kinds and sizes; keeps their payloads.
class any_messages {
 public:
  explicit any_messages(unsigned seed) : rng_(seed) {}

  wire::message next() {
    wire::message one = of_kind(static_cast<wire::message_kind>(1 + rng_() % 13));
    const unsigned words = wire::has_handler(one.kind) ? rng_() % (AM_WORDS + 1) : 0;
    for (unsigned i = 0; i < words; ++i) one.words[i] = number();
    if (wire::has_handler(one.kind)) one.handler = static_cast<std::uint16_t>(rng_());
    one.credit_requested = wire::is_request(one.kind) && rng_() % 8 == 0;
    if (wire::has_address(one.kind)) one.where = number();
    if (wire::has_size(one.kind)) one.bytes = number();
    if (one.kind == wire::message_kind::piece) one.bytes = 1 + rng_() % 400000;
    if (wire::has_reason(one.kind)) one.reason = static_cast<std::uint32_t>(rng_());
    if (one.kind == wire::message_kind::request_with_room) one.room = rng_() % 16385;
    if (wire::has_payload(one.kind)) {
      bytes& payload = payloads_.emplace_back(size());
      for (std::byte& b : payload) b = static_cast<std::byte>(rng_());
      one.data = payload.data();
      one.bytes = payload.size();
    }
    return one;
  }

  wire::message next_but_pieces() {
    wire::message one = next();
    while (one.kind == wire::message_kind::piece) one = next();
    return one;
  }

 private:
  std::uint64_t number() { return (std::uint64_t{rng_()} << 32 | rng_()) >> rng_() % 64; }
  std::size_t size() {
    if (rng_() % 4 == 0) return wire::payload_sizes().most_payload();
    return rng_() % 200;
  }

  std::mt19937 rng_;
  std::deque<bytes> payloads_;
};

bool aligned(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; }

}  // namespace

TEST_CASE("messages of all kinds are read from frames as they were written") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    any_messages source(seed);
    wire::packer packer;
    wire::unpacker unpacker;
    for (std::uint32_t frame = 0; frame < 20; ++frame) {
      std::vector<wire::message> sent;
      std::uint64_t following = 0;
      while (!packer.full() && sent.size() < seed * frame) {
        sent.push_back(source.next());
        packer.add(sent.back());
        if (sent.back().kind == wire::message_kind::piece) following = sent.back().bytes;
      }
      CHECK(packer.has_messages() == !sent.empty());
      const aligned_bytes whole(packer.close(frame * 0x7777777));
      CHECK_FALSE(packer.has_messages());
      REQUIRE(whole.all().size() <= wire::most_frame_bytes(wire::payload_sizes()));
      REQUIRE(unpacker.begin_frame(whole.all()) == wire::unpacker::parse_result::frame);
      CHECK(unpacker.frame_bytes() == whole.all().size());
      CHECK(unpacker.silent() == frame * 0x7777777);
      CHECK(unpacker.following() == following);
      for (const wire::message& one : sent) {
        const auto received = next_of(unpacker);
        REQUIRE(received.has_value());
        REQUIRE(same(one, *received));
        CHECK((received->data == nullptr || aligned(received->data)));
      }
      CHECK_FALSE(next_of(unpacker).has_value());
      CHECK(unpacker.error_text() == "");
    }
  }
}

TEST_CASE("several frames in one buffer are read one by one") {
  any_messages source(2);
  wire::packer packer;
  bytes both;
  for (unsigned frame = 0; frame < 2; ++frame) {
    for (unsigned i = 0; i < 5; ++i) packer.add(source.next_but_pieces());
    const auto whole = packer.close(frame);
    both.insert(both.end(), whole.begin(), whole.end());
  }
  const aligned_bytes stream(both);
  std::span<const std::byte> rest = stream.all();
  wire::unpacker unpacker;
  for (unsigned frame = 0; frame < 2; ++frame) {
    REQUIRE(unpacker.begin_frame(rest) == wire::unpacker::parse_result::frame);
    unsigned received = 0;
    while (next_of(unpacker).has_value()) ++received;
    CHECK(received == 5);
    rest = rest.subspan(unpacker.frame_bytes());
  }
  CHECK(rest.empty());
  CHECK(unpacker.error_text() == "");
}

TEST_CASE("a frame is full at 64 KiB, and with a piece") {
  wire::packer packer;
  wire::unpacker unpacker;
  for (unsigned i = 0; i < 1638; ++i) {
    REQUIRE_FALSE(packer.full());
    packer.add(request(1, {1, 2, 3, 4}));
  }
  CHECK(packer.full());
  const aligned_bytes whole(packer.close(0));
  REQUIRE(unpacker.begin_frame(whole.all()) == wire::unpacker::parse_result::frame);
  unsigned received = 0;
  while (next_of(unpacker).has_value()) ++received;
  CHECK(received == 1638);
  CHECK(unpacker.error_text() == "");

  packer.add(piece(0, wire::most_following_bytes));
  CHECK(packer.full());
  const aligned_bytes bulk(packer.close(0));
  REQUIRE(unpacker.begin_frame(bulk.all()) == wire::unpacker::parse_result::frame);
  CHECK(unpacker.following() == 1U << 20);
}

TEST_CASE("for a part of a frame the missing number of bytes is reported") {
  any_messages source(1);
  wire::packer packer;
  for (unsigned i = 0; i < 10; ++i) packer.add(source.next_but_pieces());
  const aligned_bytes whole(packer.close(0));
  wire::unpacker unpacker;
  for (std::size_t have = 0; have < whole.all().size(); ++have) {
    REQUIRE(unpacker.begin_frame(whole.all().first(have)) ==
            wire::unpacker::parse_result::incomplete);
    const bool header = have >= wire::frame_header_bytes;
    REQUIRE(unpacker.needed() == (header ? whole.all().size() : wire::frame_header_bytes));
  }
  CHECK(unpacker.begin_frame(whole.all()) == wire::unpacker::parse_result::frame);
}

TEST_CASE("a frame that is not full has room for any message, and is valid for its receiver") {
  for (const std::uint32_t largest : {8192U, 16384U, 20000U, 65536U}) {
    for (const std::size_t small : {0U, 1U, 200U, 400U, 818U, 1637U}) {
      CAPTURE(largest);
      CAPTURE(small);
      const wire::payload_sizes payloads(largest);
      wire::packer packer(wire::full_frame_bytes, std::nullopt, payloads);
      for (std::size_t i = 0; i < small; ++i) packer.add(request(1, {1, 2, 3, 4}));
      REQUIRE_FALSE(packer.full());
      const wire::message medium = largest_medium(payloads);
      packer.add(medium);
      const aligned_bytes whole(packer.close(0));
      CHECK(whole.all().size() <= wire::most_frame_bytes(payloads));
      wire::unpacker unpacker(std::nullopt, payloads);
      REQUIRE(unpacker.begin_frame(whole.all()) == wire::unpacker::parse_result::frame);
      CHECK(unpacker.frame_bytes() == whole.all().size());
      for (std::size_t i = 0; i < small; ++i) REQUIRE(next_of(unpacker).has_value());
      const auto received = next_of(unpacker);
      REQUIRE(received.has_value());
      CHECK(same(medium, *received));
      CHECK_FALSE(next_of(unpacker).has_value());
      CHECK(unpacker.error_text() == "");
    }
  }
}

TEST_CASE("a frame with four words takes 64 bytes, with fewer words less") {
  wire::packer packer;
  packer.add(request(1, {1, 2, 3, 4}));
  CHECK(packer.close(0).size() == 64);
  packer.add(request(1, {1, 2, 0, 0}));
  CHECK(packer.close(0).size() == 48);
  packer.add(request(1, {0, 0, 0, 0}));
  CHECK(packer.close(0).size() == 32);
  CHECK(packer.close(0).size() == 32);  // counters only
}

// Invalid frames: the error names what is wrong, and no message is read from them.
#include "messages.hpp"

#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace am_test;

namespace {

bytes valid_frame() {
  static const bytes payload(100, std::byte{7});
  wire::message medium = request(4, {5, 0, 0, 0});
  medium.kind = wire::message_kind::medium;
  medium.data = payload.data();
  medium.bytes = payload.size();
  return frame_of({request(3, {1, 2, 3, 4}), medium});
}

void set_checksum(bytes& frame) { wire::write_number(frame.data(), wire::frame_check(frame)); }

// The error of a frame with a valid checksum, after all its valid messages were read.
std::string error_of(bytes frame) {
  set_checksum(frame);
  const aligned_bytes whole(frame);
  wire::unpacker unpacker;
  (void)unpacker.begin_frame(whole.all());
  for (unsigned most = 0; next_of(unpacker).has_value(); ++most) REQUIRE(most < 1000);
  CHECK(unpacker.begin_frame(whole.all()) == wire::unpacker::parse_result::error);
  return unpacker.error_text();
}

template <class Number>
std::string error_with_field(std::size_t place, Number number) {
  bytes frame = valid_frame();
  wire::write_number(frame.data() + place, number);
  return error_of(frame);
}

constexpr std::uint32_t size_field(std::size_t size) {
  const std::size_t steps = size / wire::payload_step;
  return static_cast<std::uint32_t>(steps | (~steps & 0xffff) << 16);
}

constexpr wire::payload_sizes usual;
constexpr std::size_t first_message = wire::frame_header_bytes;
constexpr std::size_t medium_message = first_message + 8 + 4 * 8;

}  // namespace

void expect_flips_detected(const bytes& good, std::size_t first_byte) {
  for (std::size_t bit = first_byte * 8; bit < good.size() * 8; ++bit) {
    bytes bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const aligned_bytes whole(bad);
    wire::unpacker unpacker;
    REQUIRE(unpacker.begin_frame(whole.all()) == wire::unpacker::parse_result::error);
    REQUIRE_FALSE(next_of(unpacker).has_value());
  }
}

TEST_CASE("an answer can have no more room than a payload may have") {
  wire::message with_room = request(4, {5, 0, 0, 0});
  with_room.kind = wire::message_kind::request_with_room;
  with_room.room = usual.max_medium();
  bytes frame = frame_of({with_room});
  CHECK(wire::read_number<std::uint64_t>(frame.data() + first_message + 16) == usual.max_medium());
  wire::write_number(frame.data() + first_message + 16, std::uint64_t{usual.max_medium() + 1});
  CHECK(error_of(frame) == "the room for an answer is 16385, and may be no more than 16384");
  frame.resize(frame.size() - 16);
  wire::write_number(frame.data() + 4, size_field(frame.size()));
  CHECK(error_of(frame).starts_with("what is left of the frame is"));
}

TEST_CASE("every flipped bit of a frame is detected") { expect_flips_detected(valid_frame(), 0); }

TEST_CASE("every flipped bit at the end of the largest frame is detected") {
  std::vector<wire::message> all(408, request(1, {1, 2, 3, 4}));
  all.push_back(largest_medium());
  const bytes frame = frame_of(all);
  CHECK(wire::read_number<std::uint32_t>(frame.data()) == 0xd7eaedcd);  // the same on every machine
  expect_flips_detected(frame, frame.size() - 16);
}

TEST_CASE("a frame that is repeated or missing is detected at once") {
  wire::packer packer;
  std::vector<bytes> frames;
  for (unsigned i = 0; i < 3; ++i) {
    const auto whole = packer.close(i);
    frames.emplace_back(whole.begin(), whole.end());
  }
  const auto error_after = [&](std::size_t first, std::size_t second) {
    wire::unpacker unpacker;
    for (const std::size_t number : {first, second}) {
      const aligned_bytes whole(frames[number]);
      (void)unpacker.begin_frame(whole.all());
    }
    return unpacker.error_text();
  };
  CHECK(error_after(0, 1) == "");
  CHECK(error_after(0, 0) == "the frame's number is 0, not 1");
  CHECK(error_after(0, 2) == "the frame's number is 2, not 1");
  CHECK(error_after(1, 2) == "the frame's number is 1, not 0");
}

TEST_CASE("each field of a frame's header is checked") {
  CHECK(error_with_field<std::uint8_t>(8, 1) == "the frame's version is 1, not 2");
  CHECK(error_with_field<std::uint8_t>(9, 1) == "the frame's reserved byte is 1, not 0");
  CHECK(error_with_field<std::uint16_t>(4, 8) == "the frame's size is 128, and comes again as 192");
  CHECK(error_with_field(4, size_field(16)) ==
        "the frame's size is 16, and may be no less than 24");
  CHECK(error_with_field(4, size_field(wire::most_frame_bytes(usual) + 16)) ==
        "the frame's size is 82032, and may be no more than 82016");
  CHECK(error_with_field<std::uint16_t>(10, 1) ==
        "what is left of the frame is 128, and may be no more than 15");
  CHECK(error_with_field<std::uint16_t>(10, 3) ==
        "the message's kind is 0, and may be no less than 1");
  CHECK(error_with_field<std::uint32_t>(20, 5) == "the size of the piece is 0, not 5");
}

TEST_CASE("each field of a message is checked") {
  CHECK(error_with_field<std::uint8_t>(first_message, 0) ==
        "the message's kind is 0, and may be no less than 1");
  CHECK(error_with_field<std::uint8_t>(first_message, 14) ==
        "the message's kind is 14, and may be no more than 13");
  for (const std::uint8_t words : {0x05, 0x85})
    CHECK(error_with_field<std::uint8_t>(first_message + 1, words) ==
          "the message's number of words is 5, and may be no more than 4");
  CHECK(error_with_field<std::uint32_t>(medium_message + 4, 0xffffffff) ==
        "the payload's size is 4294967295, and may be no more than " +
            std::to_string(usual.most_payload()));
  CHECK(error_with_field<std::uint32_t>(medium_message + 4, 16000) ==
        "what is left of the frame is 112, and may be no less than 16000");
  CHECK(error_with_field<std::uint32_t>(medium_message + 4, 120) ==
        "what is left of the frame is 112, and may be no less than 120");
  CHECK(error_with_field<std::uint32_t>(medium_message + 4, usual.most_payload() + 1)
            .starts_with("the payload's size is "));
  CHECK(error_with_field<std::uint32_t>(first_message + 4, 1) == "a reserved number is 1, not 0");
  CHECK(error_with_field<std::uint8_t>(medium_message + 8 + 8 + 100, 1) ==
        "a byte that fills up is 1, not 0");
}

TEST_CASE("flags, words and handlers are checked") {
  const auto error_of_message = [](wire::message_kind kind, std::uint8_t flags,
                                   std::uint16_t handler) {
    bytes frame = frame_of({of_kind(kind)});
    frame[first_message + 1] = std::byte{flags};
    wire::write_number(frame.data() + first_message + 2, handler);
    return error_of(frame);
  };
  CHECK(error_of_message(wire::message_kind::reply, 0x80, 1) ==
        "the credit-request flag of a message that is no request is 1, not 0");
  CHECK(error_of_message(wire::message_kind::reply, 5, 1) ==
        "the message's number of words is 5, and may be no more than 4");
  for (const auto kind : {wire::message_kind::piece, wire::message_kind::goodbye}) {
    CHECK(error_of_message(kind, 0, 1) == "the handler of a message without a handler is 1, not 0");
    CHECK(error_of_message(kind, 1, 0) ==
          "the message's number of words is 1, and may be no more than 0");
  }
  CHECK(error_of_message(wire::message_kind::request, 4, 1) ==
        "what is left of the frame is 0, and may be no less than 32");
}

TEST_CASE("the reserved number of a reply is checked") {
  bytes frame = frame_of({of_kind(wire::message_kind::reply)});
  wire::write_number<std::uint32_t>(frame.data() + first_message + 4, 1);
  CHECK(error_of(frame) == "a reserved number is 1, not 0");
}

TEST_CASE("the size of a piece is checked against what follows the frame") {
  bytes frame = frame_of({piece(0x1000, 100)});
  wire::write_number<std::uint64_t>(frame.data() + first_message + 16, 101);
  CHECK(error_of(frame) == "the piece's size is 101, not 100");
  wire::write_number<std::uint64_t>(frame.data() + first_message + 16, ~std::uint64_t{0});
  CHECK(error_of(frame) == "the piece's size is 18446744073709551615, not 100");
  wire::write_number<std::uint64_t>(frame.data() + first_message + 16, 99);
  CHECK(error_of(frame) == "the piece's size is 99, not 100");
  wire::write_number<std::uint32_t>(frame.data() + 20, wire::most_following_bytes + 1);
  CHECK(error_of(frame) == "the size of what follows is 1048577, and may be no more than 1048576");
}

TEST_CASE("no message may follow a piece in its frame") {
  bytes frame = frame_of({request(1, {}), request(1, {}), piece(0, 50)});
  std::rotate(frame.begin() + first_message, frame.begin() + first_message + 16,
              frame.begin() + first_message + 16 + 24);
  CHECK(error_of(frame) == "the number of messages behind a piece is 2, not 0");
}

TEST_CASE("payloads of a job with larger ones are refused") {
  const wire::payload_sizes large(wire::largest_max_medium);
  static const bytes payload(20000);
  wire::message medium = request(4, {5, 0, 0, 0});
  medium.kind = wire::message_kind::medium;
  medium.data = payload.data();
  medium.bytes = payload.size();
  const auto error_of_message = [&](const wire::message& one) {
    wire::packer packer(wire::full_frame_bytes, std::nullopt, large);
    packer.add(one);
    const auto whole = packer.close(0);
    return error_of({whole.begin(), whole.end()});
  };
  CHECK(error_of_message(medium) == "the payload's size is 20000, and may be no more than 16416");
  CHECK(error_of_message(largest_medium(large)) ==
        "the payload's size is 65568, and may be no more than 16416");
}

// The example of docs/wire-format.md against the code: a packer writes exactly these bytes, and an
// unpacker reads them, on any processor.
#include "messages.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

using namespace am_test;

namespace {

// The example of the page: lines of hexadecimal numbers, with comments after #.
bytes bytes_of_the_page() {
  std::ifstream page(AM_WIRE_PAGE);
  REQUIRE(page.good());
  bytes found;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) inside = line == "```hex";
    if (!inside || line.starts_with("```")) continue;
    std::istringstream numbers(line.substr(0, line.find('#')));
    for (unsigned byte; numbers >> std::hex >> byte;) found.push_back(static_cast<std::byte>(byte));
  }
  return found;
}

// The kinds that the page shows, except the goodbye, which is in a frame of its own.
std::vector<wire::message> all_kinds() {
  static const std::array<std::byte, 3> abc{std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  std::vector<wire::message> all{request(0x102, {0x1122334455667788, 2, 0, 0}, true)};
  wire::message one = request(3, {9, 7, 0, 0});
  one.kind = wire::message_kind::medium;
  one.data = abc.data();
  one.bytes = abc.size();
  all.push_back(one);
  one = piece(0x7f0000001000, 5);
  one.kind = wire::message_kind::notice;
  one.handler = 4;
  all.push_back(one);
  one = request(5, {});
  one.kind = wire::message_kind::reply;
  all.push_back(one);
  one.kind = wire::message_kind::placed_reply;
  one.where = 0x7f0000001000;
  all.push_back(one);
  one = request(6, {8, 0, 0, 0});
  one.kind = wire::message_kind::returned;
  one.reason = AM_ARGUMENT_HANDLER;
  all.push_back(one);
  all.push_back(piece(0x7f0000001000, 5));
  return all;
}

std::string hex(std::span<const std::byte> of) {
  std::string text;
  char two[4];
  for (std::size_t i = 0; i < of.size(); ++i) {
    std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(of[i]));
    text += two + std::string(i % 16 == 15 ? "\n" : " ");
  }
  return text;
}

}  // namespace

constexpr std::uint32_t silent = 0x01020a0b;
constexpr std::size_t bulk_bytes = 16;  // including the padding

TEST_CASE("the example of docs/wire-format.md is what a packer writes") {
  wire::packer packer;
  (void)packer.close(0);  // so that the frame has number 1
  for (const wire::message& one : all_kinds()) packer.add(one);
  const bytes page = bytes_of_the_page();
  const std::span<const std::byte> frame = packer.close(silent);
  REQUIRE(page.size() > frame.size() + bulk_bytes);
  CHECK(hex(frame) == hex(std::span(page).first(frame.size())));
  const std::size_t last = frame.size() + bulk_bytes;
  packer.add(of_kind(wire::message_kind::goodbye));
  CHECK(hex(packer.close(silent)) == hex(std::span(page).subspan(last)));
}

TEST_CASE("the example of docs/wire-format.md is what an unpacker reads") {
  wire::packer packer;
  wire::unpacker unpacker;
  const aligned_bytes first(packer.close(0));
  REQUIRE(unpacker.begin_frame(first.all()) == wire::unpacker::parse_result::frame);
  REQUIRE_FALSE(next_of(unpacker).has_value());
  const aligned_bytes page(bytes_of_the_page());
  REQUIRE(unpacker.begin_frame(page.all()) == wire::unpacker::parse_result::frame);
  CHECK(unpacker.silent() == silent);
  CHECK(unpacker.following() == 5);
  for (const wire::message& one : all_kinds()) {
    const auto received = next_of(unpacker);
    REQUIRE(received.has_value());
    CHECK(same(one, *received));
  }
  CHECK_FALSE(next_of(unpacker).has_value());
  REQUIRE(unpacker.begin_frame(page.all().subspan(unpacker.frame_bytes() + bulk_bytes)) ==
          wire::unpacker::parse_result::frame);
  const auto last = next_of(unpacker);
  REQUIRE(last.has_value());
  CHECK(last->kind == wire::message_kind::goodbye);
  CHECK_FALSE(next_of(unpacker).has_value());
  CHECK(unpacker.error_text() == "");
}

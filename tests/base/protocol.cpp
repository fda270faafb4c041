// The frames between a rank and am-run: whole, in pieces, and malformed.
#include <libam/base/descriptor_passing.hpp>
#include <libam/boot/run/protocol.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace base_protocol {

using namespace am::detail;

namespace {

seam::bytes_view bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(seam::bytes_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("frames are read as they were written, in pieces of any size") {
  const std::string stream = boot::make_frame(boot::frame_kind::fence, "one") +
                             boot::make_frame(boot::frame_kind::leave, "") +
                             boot::make_frame(boot::frame_kind::abort, std::string(5000, 'x'));
  for (const std::size_t piece : {1, 2, 3, 7, 8, 9, 4096, 100000}) {
    boot::frame_reader reader(10000);
    std::vector<std::pair<boot::frame_kind, std::string>> got;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      reader.feed(bytes_of(std::string_view(stream).substr(at, piece)));
      while (const auto frame = reader.next()) got.emplace_back(frame->kind, text_of(frame->body));
    }
    REQUIRE(got.size() == 3);
    CHECK(got[0] == std::pair(boot::frame_kind::fence, std::string("one")));
    CHECK(got[1] == std::pair(boot::frame_kind::leave, std::string()));
    CHECK(got[2] == std::pair(boot::frame_kind::abort, std::string(5000, 'x')));
    CHECK(!reader.broken());
  }
}

TEST_CASE("a frame larger than allowed ends the stream before it is stored") {
  boot::frame_reader reader(100);
  reader.feed(bytes_of(boot::make_frame(boot::frame_kind::fence, std::string(100, 'x'))));
  CHECK(reader.next().has_value());
  CHECK(!reader.broken());
  const std::string large = boot::make_frame(boot::frame_kind::fence, std::string(101, 'x'));
  reader.feed(bytes_of(std::string_view(large).substr(0, 8)));
  CHECK(!reader.next());
  CHECK(reader.broken());
  reader.feed(bytes_of(boot::make_frame(boot::frame_kind::leave, "")));
  CHECK(!reader.next());
  CHECK(reader.broken());
}

TEST_CASE("blobs are read as they were written") {
  std::string body;
  seam::add_blob(body, "key", bytes_of("value"));
  seam::add_blob(body, "", {});
  seam::add_blob(body, std::string(seam::most_key_bytes, 'k'), bytes_of(std::string(70000, 'v')));
  CHECK(seam::are_blobs(bytes_of(body)));
  std::vector<seam::blob_view> blobs;
  seam::cursor at(bytes_of(body));
  while (const auto one = seam::read_blob(at)) blobs.push_back(*one);
  REQUIRE(blobs.size() == 3);
  CHECK(blobs[0].key == "key");
  CHECK(text_of(blobs[0].blob) == "value");
  CHECK(blobs[1].key.empty());
  CHECK(blobs[2].blob.size() == 70000);
  CHECK(seam::are_blobs({}));
}

TEST_CASE("blobs that are cut anywhere are refused") {
  std::string body;
  seam::add_blob(body, "key", bytes_of("value"));
  for (std::size_t cut = 1; cut < body.size(); ++cut)
    CHECK_MESSAGE(!seam::are_blobs(bytes_of(body.substr(0, cut))), "cut at ", cut);
}

TEST_CASE("wrong lengths are refused") {
  std::string body;
  seam::add_number(body, 3);
  seam::add_number(body, 0xffffffffU);
  body += "key";
  CHECK(!seam::are_blobs(bytes_of(body)));
  body.clear();
  seam::add_number(body, seam::most_key_bytes + 1);
  seam::add_number(body, 0);
  body += std::string(seam::most_key_bytes + 1, 'k');
  CHECK(!seam::are_blobs(bytes_of(body)));
}

TEST_CASE("any bytes are read without a crash") {
  std::mt19937 random(20);
  for (int round = 0; round < 2000; ++round) {
    std::string garbage(random() % 200, '\0');
    // Small numbers make nearly valid lengths.
    for (char& byte : garbage) byte = static_cast<char>(random() % (round % 2 == 0 ? 256 : 4));
    (void)seam::are_blobs(bytes_of(garbage));
    boot::frame_reader reader(64);
    reader.feed(bytes_of(garbage));
    std::size_t frames = 0;
    while (reader.next()) ++frames;
    CHECK(frames <= garbage.size() / 8);
  }
}

TEST_CASE("descriptors are passed with bytes and arrive close-on-exec") {
  int pair[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  base::fd one(pair[0]);
  base::fd two(pair[1]);
  const int passed[] = {one.get(), two.get()};
  CHECK(base::send_with_descriptors(one.get(), "hello", passed, 0) == 5);
  std::array<std::byte, 16> room;
  std::vector<base::fd> got;
  CHECK(base::receive_with_descriptors(two.get(), room, got, 0) == 5);
  REQUIRE(got.size() == 2);
  for (const base::fd& each : got) CHECK((::fcntl(each.get(), F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(base::receive_with_descriptors(two.get(), room, got, MSG_DONTWAIT) < 0);
}

}  // namespace base_protocol

// What others can read of an encrypted link, and what they can change undetected: nothing.
#include "link_pair.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tcp_records {

using namespace am::detail;
using namespace am::detail::tcp;
using namespace am_test;

TEST_CASE("nothing can be read in transit, nor that it is repeated") {
  sockets pair;
  tcp_link near = make_near_link(std::move(pair.near), true);
  std::string text;
  while (text.size() < most_plain_bytes) text += "attack at dawn; ";
  REQUIRE(send_all(near, std::as_bytes(std::span(text))) == static_cast<ssize_t>(text.size()));
  REQUIRE(send_all(near, std::as_bytes(std::span(text))) == static_cast<ssize_t>(text.size()));
  const bytes records_sent = take_raw(pair.far.get(), 2 * most_record_bytes);
  const std::string_view seen(reinterpret_cast<const char*>(records_sent.data()),
                              records_sent.size());
  for (std::size_t i = 0; i < 16; ++i)
    CHECK(seen.find(text.substr(i, 6)) == std::string_view::npos);
  const std::string_view body = seen.substr(record_head_bytes, most_plain_bytes);
  CHECK(seen.substr(most_record_bytes + record_head_bytes, most_plain_bytes) != body);
  // No eight bytes of it occur twice, though all plain text did.
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i + 8 <= body.size(); ++i) pieces.push_back(body.substr(i, 8));
  std::ranges::sort(pieces);
  CHECK(std::ranges::adjacent_find(pieces) == pieces.end());
}

namespace {

constexpr std::string_view record_error = "a record that no rank of this job has written";
constexpr std::size_t plain_bytes = 100;
constexpr std::size_t record_bytes = record_head_bytes + plain_bytes + record_tag_bytes;

// Three records of a stream, as they are sent.
struct recorded {
  bytes plain = random_bytes(3 * plain_bytes, 1);
  bytes records_sent;
  recorded() {
    sockets pair;
    tcp_link near = make_near_link(std::move(pair.near), true);
    for (std::size_t i = 0; i < 3; ++i)
      REQUIRE(send_all(near, std::span(plain).subspan(i * plain_bytes, plain_bytes)) == 100);
    records_sent = take_raw(pair.far.get(), 3 * record_bytes);
  }
  [[nodiscard]] bytes record(std::size_t i) const {
    const auto first = records_sent.begin() + static_cast<std::ptrdiff_t>(i * record_bytes);
    return {first, first + record_bytes};
  }
};

bytes joined(std::initializer_list<bytes> all) {
  bytes whole;
  for (const bytes& one : all) whole.insert(whole.end(), one.begin(), one.end());
  return whole;
}

// The result at the other end for `carried` and the connection's end: how many bytes it takes, and
// the error after them.
struct outcome {
  std::size_t taken = 0;
  std::string why;
  bool operator==(const outcome&) const = default;
};
outcome receive_all(const bytes& records_sent, const bytes& plain,
                    const session_keys& keys = keys_of(2, 1)) {
  sockets pair;
  tcp_link far(std::move(pair.far), keys);
  put_raw(pair.near.get(), records_sent);
  pair.near = base::fd();
  outcome seen;
  bytes received(plain.size() + 1);
  for (;;) {
    REQUIRE((far.has_input() || is_readable(far.socket())));
    const iovec part{received.data() + seen.taken, received.size() - seen.taken};
    const ssize_t got = far.receive({&part, 1});
    if (got < 0 && errno == EAGAIN) continue;
    if (got < 0) seen.why = tcp_link::error_text(errno);
    if (got <= 0) break;
    seen.taken += static_cast<std::size_t>(got);
  }
  if (!seen.why.empty()) {
    const iovec part{received.data(), received.size()};
    CHECK(far.receive({&part, 1}) == -1);  // the error stays
    CHECK(errno == EBADMSG);
  }
  CHECK(std::equal(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(seen.taken),
                   received.begin()));
  return seen;
}

}  // namespace

// The expected bytes were computed by another program.
TEST_CASE("records are those of the wire format") {
  key one;
  for (std::size_t i = 0; i < one.size(); ++i) one[i] = static_cast<std::byte>(i);
  constexpr std::array<std::uint8_t, 26> expected[] = {
      {0x06, 0x00, 0x00, 0x00, 0x7e, 0xca, 0x23, 0x5c, 0xc8, 0x95, 0xa4, 0x82, 0x9b,
       0x22, 0xd1, 0x49, 0xb5, 0x68, 0xb6, 0x0f, 0xad, 0x7d, 0x1b, 0x4b, 0x6a, 0xcf},
      {0x06, 0x00, 0x00, 0x00, 0xf9, 0x25, 0x92, 0x32, 0xd0, 0x59, 0xaf, 0x7e, 0x96,
       0x1e, 0x23, 0x4e, 0x9f, 0x91, 0x0e, 0x06, 0xf1, 0x9b, 0x9f, 0xac, 0x87, 0xbf}};
  cipher sealing(one);
  for (const auto& due : expected) {
    std::array<std::byte, 26> record;
    std::memcpy(record.data() + record_head_bytes, "frames", 6);
    REQUIRE(sealing.seal(record.data(), 6) == record.size());
    CHECK(std::memcmp(record.data(), due.data(), due.size()) == 0);
  }
}

TEST_CASE("an unmodified stream is read to its end") {
  const recorded all;
  CHECK(receive_all(all.records_sent, all.plain) == outcome{300, ""});
}

TEST_CASE("every flipped bit of a record is detected") {
  const recorded all;
  for (std::size_t bit = 0; bit < 8 * record_bytes; ++bit) {
    bytes changed = all.record(0);
    changed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const bytes rest(most_record_bytes);  // its length may be larger now
    CHECK(receive_all(joined({changed, all.record(1), rest}), all.plain) ==
          outcome{0, std::string(record_error)});
  }
}

TEST_CASE("a record that is left out, doubled, moved, cut or foreign is detected") {
  const recorded all;
  const auto becomes = [&](std::initializer_list<bytes> records_sent) {
    return receive_all(joined(records_sent), all.plain);
  };
  const std::string why(record_error);
  CHECK(becomes({all.record(1), all.record(2)}) == outcome{0, why});
  CHECK(becomes({all.record(0), all.record(2)}) == outcome{100, why});
  CHECK(becomes({all.record(0), all.record(0), all.record(1)}) == outcome{100, why});
  CHECK(becomes({all.record(1), all.record(0), all.record(2)}) == outcome{0, why});
  CHECK(becomes({all.record(0), all.record(2), all.record(1)}) == outcome{100, why});
  bytes cut = all.record(1);
  cut.pop_back();
  CHECK(becomes({all.record(0), cut, all.record(2)}) == outcome{100, why});
  CHECK(becomes({all.record(0), random_bytes(record_bytes, 7)}) == outcome{100, why});
}

TEST_CASE("an invalid length is refused before its bytes arrive") {
  const recorded all;
  const std::string why(record_error);
  for (const unsigned length : {0U, 16385U, 0x80000000U, ~0U}) {
    bytes head(record_head_bytes);
    std::memcpy(head.data(), &length, sizeof length);
    CHECK(receive_all(joined({all.record(0), head}), all.plain) == outcome{100, why});
  }
}

TEST_CASE("another connection's keys, and those of the other direction, decrypt nothing") {
  const recorded all;
  const std::string why(record_error);
  CHECK(receive_all(all.records_sent, all.plain, keys_of(2, 3)) == outcome{0, why});
  CHECK(receive_all(all.records_sent, all.plain, keys_of(1, 2)) == outcome{0, why});
}

}  // namespace tcp_records

// What others can read of an encrypted line, and what they can change unnoticed: nothing.
#include "ends.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

using namespace am::detail;
using namespace am::detail::tcp;
using namespace am_test;

TEST_CASE("nothing that is said can be read on its way, nor that it is said again") {
  sockets pair;
  line near = near_end(std::move(pair.near), true);
  std::string text;
  while (text.size() < most_plain_bytes) text += "attack at dawn; ";
  REQUIRE(send_all(near, std::as_bytes(std::span(text))) == static_cast<ssize_t>(text.size()));
  REQUIRE(send_all(near, std::as_bytes(std::span(text))) == static_cast<ssize_t>(text.size()));
  const bytes carried = take_raw(pair.far.get(), 2 * most_record_bytes);
  const std::string_view seen(reinterpret_cast<const char*>(carried.data()), carried.size());
  for (std::size_t i = 0; i < 16; ++i)
    CHECK(seen.find(text.substr(i, 6)) == std::string_view::npos);
  const std::string_view body = seen.substr(record_head_bytes, most_plain_bytes);
  CHECK(seen.substr(most_record_bytes + record_head_bytes, most_plain_bytes) != body);
  // No eight bytes of it stand there twice, though all that was said does.
  std::vector<std::string_view> pieces;
  for (std::size_t i = 0; i + 8 <= body.size(); ++i) pieces.push_back(body.substr(i, 8));
  std::ranges::sort(pieces);
  CHECK(std::ranges::adjacent_find(pieces) == pieces.end());
}

namespace {

constexpr std::string_view spoilt = "a record that nobody of this job wrote";
constexpr std::size_t plain_bytes = 100;
constexpr std::size_t record_bytes = record_head_bytes + plain_bytes + record_tag_bytes;

// Three records of a stream, as they are carried.
struct recorded {
  bytes said = random_bytes(3 * plain_bytes, 1);
  bytes carried;
  recorded() {
    sockets pair;
    line near = near_end(std::move(pair.near), true);
    for (std::size_t i = 0; i < 3; ++i)
      REQUIRE(send_all(near, std::span(said).subspan(i * plain_bytes, plain_bytes)) == 100);
    carried = take_raw(pair.far.get(), 3 * record_bytes);
  }
  [[nodiscard]] bytes record(std::size_t i) const {
    const auto first = carried.begin() + static_cast<std::ptrdiff_t>(i * record_bytes);
    return {first, first + record_bytes};
  }
};

bytes joined(std::initializer_list<bytes> all) {
  bytes whole;
  for (const bytes& one : all) whole.insert(whole.end(), one.begin(), one.end());
  return whole;
}

// What the other end makes of `carried` and the connection's end: how many bytes it takes, and why
// it takes no more.
struct outcome {
  std::size_t taken = 0;
  std::string why;
  bool operator==(const outcome&) const = default;
};
outcome hear(const bytes& carried, const bytes& said, const session_keys& keys = keys_of(2, 1)) {
  sockets pair;
  line far(std::move(pair.far), keys);
  put_raw(pair.near.get(), carried);
  pair.near = base::fd();
  outcome seen;
  bytes heard(said.size() + 1);
  for (;;) {
    REQUIRE((far.has_input() || is_readable(far.socket())));
    const iovec part{heard.data() + seen.taken, heard.size() - seen.taken};
    const ssize_t got = far.receive({&part, 1});
    if (got < 0 && errno == EAGAIN) continue;
    if (got < 0) seen.why = line::why(errno);
    if (got <= 0) break;
    seen.taken += static_cast<std::size_t>(got);
  }
  if (!seen.why.empty()) {
    const iovec part{heard.data(), heard.size()};
    CHECK(far.receive({&part, 1}) == -1);  // and so it stays
    CHECK(errno == EBADMSG);
  }
  CHECK(std::equal(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(seen.taken),
                   heard.begin()));
  return seen;
}

}  // namespace

// The expected bytes are another program's.
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

TEST_CASE("a stream that nobody has touched is heard to its end") {
  const recorded all;
  CHECK(hear(all.carried, all.said) == outcome{300, ""});
}

TEST_CASE("no bit of a record can be turned over") {
  const recorded all;
  for (std::size_t bit = 0; bit < 8 * record_bytes; ++bit) {
    bytes changed = all.record(0);
    changed[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const bytes rest(most_record_bytes);  // it may say that it is longer
    CHECK(hear(joined({changed, all.record(1), rest}), all.said) ==
          outcome{0, std::string(spoilt)});
  }
}

TEST_CASE("no record can be left out, doubled, moved, cut or brought in from elsewhere") {
  const recorded all;
  const auto becomes = [&](std::initializer_list<bytes> carried) {
    return hear(joined(carried), all.said);
  };
  const std::string why(spoilt);
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

TEST_CASE("a length that no record has is refused before its bytes come") {
  const recorded all;
  const std::string why(spoilt);
  for (const unsigned length : {0U, 16385U, 0x80000000U, ~0U}) {
    bytes head(record_head_bytes);
    std::memcpy(head.data(), &length, sizeof length);
    CHECK(hear(joined({all.record(0), head}), all.said) == outcome{100, why});
  }
}

TEST_CASE("another connection's keys, and those of the other direction, open nothing") {
  const recorded all;
  const std::string why(spoilt);
  CHECK(hear(all.carried, all.said, keys_of(2, 3)) == outcome{0, why});
  CHECK(hear(all.carried, all.said, keys_of(1, 2)) == outcome{0, why});
}

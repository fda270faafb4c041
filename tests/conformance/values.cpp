// Every number of values, every size of struct and every kind of value arrives as it was sent, in
// requests and in replies.
#include "../support/suite.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace {

// ---- the number of values ----

struct counted {
  std::array<unsigned, 5> requests{};
  std::array<unsigned, 5> replies{};
};
thread_local counted got;

void on_reply0(am::reply_token) { ++got.replies[0]; }
void on_reply1(am::reply_token, am::word a) { got.replies[1] += a == 11; }
void on_reply2(am::reply_token, am::word a, am::word b) { got.replies[2] += a == 21 && b == 22; }
void on_reply3(am::reply_token, am::word a, am::word b, am::word c) {
  got.replies[3] += a == 31 && b == 32 && c == 33;
}
void on_reply4(am::reply_token, am::word a, am::word b, am::word c, am::word d) {
  got.replies[4] += a == 41 && b == 42 && c == 43 && d == ~am::word{0};
}

void on_request0(am::request_token t) {
  ++got.requests[0];
  t.reply<on_reply0>();
}
void on_request1(am::request_token t, am::word a) {
  got.requests[1] += a == 1;
  t.reply<on_reply1>(a + 10);
}
void on_request2(am::request_token t, am::word a, am::word b) {
  got.requests[2] += a == 1 && b == 2;
  t.reply<on_reply2>(a + 20, b + 20);
}
void on_request3(am::request_token t, am::word a, am::word b, am::word c) {
  got.requests[3] += a == 1 && b == 2 && c == 3;
  t.reply<on_reply3>(a + 30, b + 30, c + 30);
}
void on_request4(am::request_token t, am::word a, am::word b, am::word c, am::word d) {
  got.requests[4] += a == 1 && b == 2 && c == 3 && d == ~am::word{0};
  t.reply<on_reply4>(a + 40, b + 40, c + 40, d);
}

CASE("no value to four values arrive, in requests and in replies") {
  auto& ep = job.ep();
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    ep.request<on_request0>(to);
    ep.request<on_request1>(to, 1);
    ep.request<on_request2>(to, 1, 2);
    ep.request<on_request3>(to, 1, 2, 3);
    ep.request<on_request4>(to, 1, 2, 3, ~am::word{0});
  }
  for (unsigned values = 0; values <= 4; ++values) {
    ep.wait([&] { return got.replies[values] >= job.ranks(); });
    ep.wait([&] { return got.requests[values] >= job.ranks(); });
  }
  for (unsigned values = 0; values <= 4; ++values) {
    EXPECT_EQ(got.replies[values], job.ranks());
    EXPECT_EQ(got.requests[values], job.ranks());
  }
}

// ---- structs of every size ----

template <std::size_t Size>
struct sized_struct {
  std::array<unsigned char, Size> bytes;
  friend bool operator==(const sized_struct&, const sized_struct&) = default;
};

template <std::size_t Size>
sized_struct<Size> make_sized(unsigned seed) {
  sized_struct<Size> made;
  for (std::size_t i = 0; i < Size; ++i)
    made.bytes[i] = static_cast<unsigned char>(seed + i * 7 + Size);
  return made;
}

thread_local unsigned sized_replies = 0;
thread_local unsigned sized_wrong = 0;

template <std::size_t Size>
void on_sized_reply(am::reply_token t, sized_struct<Size> made) {
  ++sized_replies;
  sized_wrong += !(made == make_sized<Size>(t.source() + 100));
}
template <std::size_t Size>
void on_sized_request(am::request_token t, sized_struct<Size> made) {
  sized_wrong += !(made == make_sized<Size>(t.source()));
  t.reply<on_sized_reply<Size>>(make_sized<Size>(am_ep_rank(t.endpoint()) + 100));
}

template <std::size_t... Sizes>
void send_sized(am_test::session& job, am::rank_id to, std::index_sequence<Sizes...>) {
  (job.ep().request<on_sized_request<Sizes + 1>>(to, make_sized<Sizes + 1>(job.rank())), ...);
}

CASE("a struct of every size up to 32 bytes arrives byte for byte, in both directions") {
  for (am::rank_id to = 0; to < job.ranks(); ++to)
    send_sized(job, to, std::make_index_sequence<32>{});
  job.ep().wait([&] { return sized_replies >= 32 * job.ranks(); });
  EXPECT_EQ(sized_replies, 32 * job.ranks());
  EXPECT_EQ(sized_wrong, 0U);
}

// ---- kinds of values ----

enum class colour : std::int8_t { red = -3, green = 4 };
struct spot {
  double x;
  float y;
  std::int16_t z;
};

thread_local unsigned kinds_right = 0;

void on_kinds_reply(am::reply_token, bool yes, std::int8_t small, float half, colour c) {
  kinds_right += yes && small == -128 && half == -0.5F && c == colour::red;
}
void floats(am::request_token t, float a, double b, float c, double d) {
  kinds_right += a == std::numeric_limits<float>::denorm_min() && std::signbit(b) && b == 0.0 &&
                 std::isnan(c) && d == -std::numeric_limits<double>::max();
  t.reply<on_kinds_reply>(true, std::int8_t{-128}, -0.5F, colour::red);
}
void integers(am::request_token, std::int8_t a, std::uint16_t b, std::int32_t c, std::int64_t d) {
  kinds_right += a == -1 && b == 65535 && c == std::numeric_limits<std::int32_t>::min() &&
                 d == std::numeric_limits<std::int64_t>::min();
}
void others(am::request_token, bool no, char letter, colour c, const void* address) {
  kinds_right += !no && letter == 'm' && c == colour::green && address == nullptr;
}
void structs(am::request_token, spot s) { kinds_right += s.x == 1.5 && s.y == 2.5F && s.z == -3; }

CASE("floats, integers, bools, enums, pointers and structs keep their values") {
  auto& ep = job.ep();
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    ep.request<floats>(to, std::numeric_limits<float>::denorm_min(), -0.0,
                       std::numeric_limits<float>::quiet_NaN(),
                       -std::numeric_limits<double>::max());
    ep.request<integers>(to, std::int8_t{-1}, std::uint16_t{65535},
                         std::numeric_limits<std::int32_t>::min(),
                         std::numeric_limits<std::int64_t>::min());
    ep.request<others>(to, false, 'm', colour::green, nullptr);
    ep.request<structs>(to, {1.5, 2.5F, -3});
  }
  ep.wait([&] { return kinds_right >= 5 * job.ranks(); });
  EXPECT_EQ(kinds_right, 5 * job.ranks());
}

}  // namespace

// Medium messages: every size arrives with every byte, with words beside it, and the sender may
// reuse its buffer when the call returns.
#include "../support/suite.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace {

using bytes = std::span<const std::byte>;

void fill(std::span<std::byte> out, std::uint64_t seed) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>((seed * 31 + i * 17 + (i >> 8)) & 0xff);
}
bool filled(bytes in, std::uint64_t seed) {
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i] != static_cast<std::byte>((seed * 31 + i * 17 + (i >> 8)) & 0xff)) return false;
  return true;
}

// ---- sizes ----

thread_local unsigned sized_replies = 0;
thread_local unsigned sized_wrong = 0;

void on_sized_reply(am::reply_token, std::uint64_t seed, std::size_t size, bool right) {
  ++sized_replies;
  sized_wrong += !right || seed != size + 1;
}
void on_sized(am::request_token t, bytes data, std::uint64_t seed, std::size_t size) {
  const bool fits_any_type =
      reinterpret_cast<std::uintptr_t>(data.data()) % alignof(std::max_align_t) == 0;
  t.reply<on_sized_reply>(seed, data.size(),
                          fits_any_type && data.size() == size && filled(data, seed));
}

CASE(
    "payloads of 0 bytes up to max_medium arrive whole, aligned for any type, and the source is "
    "free at once") {
  auto& ep = job.ep();
  EXPECT(ep.max_medium() >= AM_MIN_MAX_MEDIUM);
  const std::array<std::size_t, 15> sizes{
      0, 1, 7, 8, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8191, 8192, ep.max_medium()};
  std::vector<std::byte> source(ep.max_medium());
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    for (const std::size_t size : sizes) {
      fill({source.data(), size}, size + 1);
      ep.request<on_sized>(to, bytes(source.data(), size), size + 1, size);
      std::memset(source.data(), 0xee, source.size());
    }
  }
  const auto all = static_cast<unsigned>(sizes.size() * job.ranks());
  ep.wait([&] { return sized_replies >= all; });
  EXPECT_EQ(sized_replies, all);
  EXPECT_EQ(sized_wrong, 0U);
}

// ---- words beside the payload ----

struct four {
  std::uint64_t a, b, c, d;
};
struct odd {
  char letters[27];
};

thread_local unsigned beside_right = 0;

void beside0(am::request_token, bytes d) { beside_right += d.size() == 3 && filled(d, 9); }
void beside1(am::request_token, bytes d, double a) { beside_right += filled(d, 9) && a == 0.25; }
void beside2(am::request_token, bytes d, bool a, std::int64_t b) {
  beside_right += filled(d, 9) && a && b == -5;
}
void beside3(am::request_token, bytes d, int a, int b, int c) {
  beside_right += filled(d, 9) && a == 1 && b == -2 && c == 3;
}
void beside4(am::request_token, bytes d, int a, int b, int c, std::uint8_t e) {
  beside_right += filled(d, 9) && a == 1 && b == 2 && c == 3 && e == 255;
}
void beside_four(am::request_token, bytes d, four f) {
  beside_right += filled(d, 9) && f.a == 1 && f.b == 2 && f.c == 3 && f.d == ~std::uint64_t{0};
}
void beside_odd(am::request_token, bytes d, odd o) {
  beside_right += filled(d, 9) && o.letters[0] == 'a' && o.letters[26] == 'z';
}

CASE("a payload travels with no value to four values or a struct") {
  auto& ep = job.ep();
  std::array<std::byte, 3> small{};
  fill(small, 9);
  odd o{};
  o.letters[0] = 'a';
  o.letters[26] = 'z';
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    ep.request<beside0>(to, small);
    ep.request<beside1>(to, small, 0.25);
    ep.request<beside2>(to, small, true, -5);
    ep.request<beside3>(to, small, 1, -2, 3);
    ep.request<beside4>(to, small, 1, 2, 3, std::uint8_t{255});
    ep.request<beside_four>(to, small, {1, 2, 3, ~std::uint64_t{0}});
    ep.request<beside_odd>(to, small, o);
  }
  ep.wait([&] { return beside_right >= 7 * job.ranks(); });
  EXPECT_EQ(beside_right, 7 * job.ranks());
}

// ---- a stream longer than the payload room ----

thread_local std::vector<std::uint64_t> stream_next;
thread_local unsigned stream_wrong = 0;
thread_local unsigned stream_done = 0;

void on_stream(am::request_token t, bytes data, std::uint64_t number, bool last) {
  stream_next.resize(am_ep_ranks(t.endpoint()));
  std::uint64_t& expected = stream_next[t.source()];
  stream_wrong += number != expected++ || !filled(data, number);
  stream_done += last;
}

CASE("a stream of payloads far longer than the room for them keeps order and content") {
  auto& ep = job.ep();
  const std::uint32_t count = job.per_pair(4000);
  std::vector<std::byte> source(ep.max_medium());
  std::uint64_t state = job.rank() + 1;
  for (std::uint32_t number = 0; number < count; ++number) {
    for (am::rank_id step = 0; step < job.ranks(); ++step) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const std::size_t size = (state >> 33) % (source.size() + 1);
      fill({source.data(), size}, number);
      ep.request<on_stream>((job.rank() + step) % job.ranks(), bytes(source.data(), size), number,
                            number + 1 == count);
      if (size > 0) source[size / 2] = std::byte{0xee};
    }
  }
  ep.wait([&] { return stream_done >= job.ranks(); });
  EXPECT_EQ(stream_wrong, 0U);
}

// ---- never waiting ----

thread_local unsigned tried_handled = 0;
thread_local unsigned tried_wrong = 0;
void on_tried(am::request_token, bytes data, std::uint64_t seed) {
  ++tried_handled;
  tried_wrong += !filled(data, seed);
}

CASE("try_request of a payload is again(...) and then has had no effect") {
  auto& ep = job.ep();
  std::vector<std::byte> source(ep.max_medium());
  fill(source, 77);
  unsigned accepted = 0;
  unsigned again = 0;
  // Enough to fill any room while this rank, and so perhaps its target, runs no handler.
  for (unsigned i = 0; i < 400; ++i) {
    const am::status status = ep.try_request<on_tried>(job.next(), source, 77);
    if (status.ok()) {
      ++accepted;
    } else {
      EXPECT_EQ(status.reason(), AM_REASON_AGAIN);
      ++again;
    }
  }
  EXPECT(accepted > 0);
  // To itself: no other rank can have made room.
  if (job.ranks() == 1) EXPECT(again > 0);
  const std::uint64_t sent = accepted;
  ep.job_put("medium.tried", std::as_bytes(std::span(&sent, 1)));
  ep.job_fence();
  std::uint64_t expected = 0;
  const am::rank_id before = (job.rank() + job.ranks() - 1) % job.ranks();
  std::memcpy(&expected, ep.job_get(before, "medium.tried").data(), sizeof expected);
  ep.wait([&] { return tried_handled >= expected; });
  ep.job_fence();
  EXPECT_EQ(tried_handled, expected);
  EXPECT_EQ(tried_wrong, 0U);
}

}  // namespace

// Replies with data: with a payload, and into the requester's memory. The requester reserves the
// room for them, so they never wait; the room is always released.
#include "../support/suite.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace {

using bytes = std::span<const std::byte>;

std::byte pattern(std::uint64_t seed, std::size_t i) {
  return static_cast<std::byte>((seed * 31 + i * 17 + (i >> 8)) & 0xff);
}
std::vector<std::byte> filled(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = pattern(seed, i);
  return out;
}
bool is_filled(bytes in, std::uint64_t seed) {
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i] != pattern(seed, i)) return false;
  return true;
}

// ---- sizes ----

struct seen {
  unsigned answers = 0;
  unsigned wrong = 0;
  std::uint64_t next[64] = {};  // by rank: the number of the next answer
};

thread_local seen sized;

void on_sized_reply(am::reply_token, bytes data, std::size_t size, std::uint64_t seed) {
  const auto at = reinterpret_cast<std::uintptr_t>(data.data());
  ++sized.answers;
  sized.wrong +=
      data.size() != size || !is_filled(data, seed) || at % alignof(std::max_align_t) != 0;
}
void on_sized_request(am::request_token t, std::size_t size, std::uint64_t seed, std::size_t room) {
  if (t.reply_room() != room) ++sized.wrong;
  std::vector<std::byte> data = filled(size, seed);
  t.reply<on_sized_reply>(data, size, seed);
  std::ranges::fill(data, std::byte{0xee});
}
void on_sized_medium(am::request_token t, bytes data, std::size_t size, std::uint64_t seed) {
  if (!is_filled(data, seed)) ++sized.wrong;
  t.reply<on_sized_reply>(data.first(size), size, seed);
}

CASE(
    "answers of 0 bytes up to max_medium arrive whole and aligned, and the source is free at "
    "once") {
  auto& ep = job.ep();
  const std::array<std::size_t, 13> sizes{
      0, 1, 7, 8, 16, 63, 64, 65, 4095, 4096, 4097, 8191, ep.max_medium()};
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    for (const std::size_t size : sizes) {
      const std::size_t room = std::min(size + 3, ep.max_medium());
      ep.request<on_sized_request>(to, am::reply_room(room), size, size + 1, room);
      ep.request<on_sized_medium>(to, am::reply_room(size), filled(size, 7), size, 7);
    }
  }
  const auto all = static_cast<unsigned>(2 * sizes.size() * job.ranks());
  ep.wait([&] { return sized.answers >= all; });
  EXPECT_EQ(sized.answers, all);
  EXPECT_EQ(sized.wrong, 0U);
}

// ---- refusals ----

thread_local unsigned refused = 0;
thread_local unsigned refused_wrong = 0;

void on_refusal_reply(am::reply_token) { ++refused; }
void on_refusal_payload(am::reply_token, bytes data) {
  refused_wrong += data.size() != 0;
  ++refused;
}

void request_too_much(am::request_token t, std::size_t room) {
  refused_wrong += t.reply_room() != room;
  const std::vector<std::byte> more(room + 1);
  refused_wrong +=
      am_test::thrown_by([&] { t.reply<on_refusal_payload>(more); }) != AM_ARGUMENT_SIZE;
  const std::string line = am_error_text();
  refused_wrong += line.find(std::to_string(room + 1)) == std::string::npos ||
                   line.find("room for " + std::to_string(room)) == std::string::npos;
  refused_wrong +=
      am_token_reply_medium(t.raw(), &am::detail::entry_of<on_refusal_payload>::entry, nullptr,
                            room, 0, 0, 0, 0) != (room == 0 ? AM_OK : AM_ARGUMENT_ADDRESS);
  if (room == 0) return;
  refused_wrong += t.reply_room() != room;
  t.reply<on_refusal_reply>();
  refused_wrong += t.reply_room() != 0;
  refused_wrong +=
      am_test::thrown_by([&] { t.reply<on_refusal_payload>(bytes()); }) != AM_USAGE_REPLIED;
}

CASE("more than was reserved is refused with both values, and the handler may still reply") {
  auto& ep = job.ep();
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{100}})
    ep.request<request_too_much>(job.next(), am::reply_room(room), room);
  ep.request<request_too_much>(job.next(), std::size_t{0});
  ep.wait([] { return refused == 4; });
  EXPECT_EQ(refused_wrong, 0U);
  const am::reply_room too_much(ep.max_medium() + 1);
  EXPECT_EQ(am_test::thrown_by([&] { ep.request<request_too_much>(job.next(), too_much, 1); }),
            AM_ARGUMENT_SIZE);
  EXPECT(std::string(am_error_text()).find(std::to_string(ep.max_medium() + 1)) !=
         std::string::npos);
  EXPECT_EQ(ep.try_request<request_too_much>(job.next(), too_much, 1).code(), AM_ARGUMENT_SIZE);
}

// ---- floods ----

thread_local seen flood;

void on_flood_reply(am::reply_token t, bytes data, std::uint64_t number) {
  ++flood.answers;
  flood.wrong += flood.next[t.source()]++ != number || !is_filled(data, number);
}
void on_flood_request(am::request_token t, std::uint64_t number) {
  t.reply<on_flood_reply>(filled(number % (t.reply_room() + 1), number), number);
}
void on_flood_words(am::reply_token t, std::uint64_t number) {
  ++flood.answers;
  flood.wrong += flood.next[t.source()]++ != number;
}
void on_flood_words_request(am::request_token t, std::uint64_t number) {
  t.reply<on_flood_words>(number);
}

CASE("floods from all sides, with room used up and answers of all forms, keep their order") {
  auto& ep = job.ep();
  const std::uint32_t count = job.per_pair(6000);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (am::rank_id to = 0; to < job.ranks(); ++to) {
      if (i % 5 == 4)
        ep.request<on_flood_words_request>(to, i);
      else
        ep.request<on_flood_request>(to, am::reply_room(i % 3 == 0 ? ep.max_medium() : 1 + i % 700),
                                     i);
    }
  }
  const auto all = static_cast<unsigned>(count * job.ranks());
  ep.wait([&] { return flood.answers >= all; });
  EXPECT_EQ(flood.answers, all);
  EXPECT_EQ(flood.wrong, 0U);
}

// ---- release of room ----

thread_local unsigned silent_ran = 0;
thread_local unsigned try_replies = 0;

void on_silent(am::request_token) { ++silent_ran; }
void on_try_reply(am::reply_token, bytes) { ++try_replies; }
void reply_little(am::request_token t) { t.reply<on_try_reply>(bytes()); }

CASE("a handler that does not reply, or replies with less, releases its whole room") {
  auto& ep = job.ep();
  const unsigned count = 4 * job.per_rank(200);
  const am::reply_room room(ep.max_medium());
  for (unsigned i = 0; i < count; ++i) {
    ep.request<on_silent>(job.next(), room);
    ep.request<reply_little>(job.next(), room);
  }
  ep.wait([&] { return silent_ran == count && try_replies == count; });
}

CASE("try_request is again(payload room) when all room is in use, and has no effect") {
  auto& ep = job.ep();
  const am::reply_room room(ep.max_medium());
  const unsigned before = try_replies;
  unsigned sent = 0;
  am::status status;
  while ((status = ep.try_request<reply_little>(job.next(), room))) ++sent;
  EXPECT(status == AM_AGAIN_PAYLOAD || status == AM_AGAIN_CREDIT || status == AM_AGAIN_CONNECTING);
  EXPECT(sent < 1000);
  ep.wait([&] { return try_replies == before + sent; });
  ep.request<reply_little>(job.next(), room);
  ep.wait([&] { return try_replies == before + sent + 1; });
}

// ---- into the requester's memory ----

struct stored_seen {
  unsigned answers = 0;
  unsigned wrong = 0;
  unsigned smaller = 0;
};
thread_local stored_seen into;

void on_stored(am::reply_token, void* where, std::size_t size, std::uint64_t seed, void* wanted) {
  ++into.answers;
  into.wrong +=
      where != wanted || !is_filled(bytes(static_cast<const std::byte*>(where), size), seed);
}
void on_no_room(am::reply_token, void*) {
  ++into.answers;
  ++into.smaller;
}
void reply_by_store(am::request_token t, std::size_t size, void* where, std::uint64_t seed) {
  std::vector<std::byte> data = filled(size, seed);
  const am::status status = t.try_reply_store<on_stored>(where, data, seed, where);
  std::ranges::fill(data, std::byte{0xee});
  if (status) return;
  into.wrong += status != AM_ARGUMENT_SIZE || size <= t.reply_room();
  t.reply<on_no_room>(where);
}

CASE("a reply stores bytes of any size in a segment and in other memory of the requester") {
  auto& ep = job.ep();
  const std::array<std::size_t, 7> sizes{0,     1, 100, 4096, ep.max_medium(), ep.max_medium() + 1,
                                         300000};
  am::segment segment(ep, 300000);
  std::vector<std::byte> other(300001);
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    for (const std::size_t size : sizes) {
      for (void* where : {segment.address(), static_cast<void*>(other.data() + 1)}) {
        const unsigned before = into.answers;
        const am::reply_room room(std::min(size, ep.max_medium()));
        ep.request<reply_by_store>(to, room, size, where, size);
        ep.wait([&] { return into.answers == before + 1; });
        std::memset(where, 0, size);
        // Without room: at once where the transport reaches the memory, or not at all.
        ep.request<reply_by_store>(to, size, where, size);
        ep.wait([&] { return into.answers == before + 2; });
        std::memset(where, 0, size);
      }
    }
  }
  EXPECT_EQ(into.wrong, 0U);
  ep.job_fence();
}

thread_local unsigned unmapped_replies = 0;
thread_local unsigned unmapped_returned = 0;
thread_local unsigned unmapped_wrong = 0;

void on_unmapped_reply(am::reply_token, am::word refused_there) {
  ++unmapped_replies;
  unmapped_returned += refused_there != 0;
}
void never_runs(am::reply_token, void*, std::size_t, am::word) { ++unmapped_wrong; }
void reply_to_unmapped(am::request_token t, void* where) {
  const am::status status = t.try_reply_store<never_runs>(where, filled(64, 1), am::word{42});
  unmapped_wrong += !status && status != AM_ARGUMENT_ADDRESS;
  if (!status) t.reply<on_unmapped_reply>(1);
}
void on_unmapped_returned(am::reply_token, const am::returned& message) {
  ++unmapped_replies;
  unmapped_wrong +=
      message.reason != AM_ARGUMENT_ADDRESS || message.words[0] != 42 || message.unknown != 1;
}

CASE("an unmapped address is refused, at either end", .processes = true) {
  auto& ep = job.ep();
  ep.on_undeliverable<on_unmapped_returned>();
  void* nothing = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (unsigned i = 1; i <= 3; ++i) {
    ep.request<reply_to_unmapped>(job.next(), am::reply_room(64), nothing);
    ep.wait([&] { return unmapped_replies == i; });
  }
  EXPECT_EQ(unmapped_wrong, 0U);
  ::munmap(nothing, 4096);
  ep.job_fence();
}

// ---- counters ----

thread_local unsigned counted_replies = 0;
void on_counted_reply(am::reply_token, bytes) { ++counted_replies; }
void reply_counted(am::request_token t) { t.reply<on_counted_reply>(filled(100, 1)); }

CASE("the data of answers is counted") {
  auto& ep = job.ep();
  const std::uint64_t before = ep.stats(job.next()).answer_bytes;
  for (int i = 0; i < 3; ++i) ep.request<reply_counted>(job.next(), am::reply_room(100));
  ep.wait([] { return counted_replies == 3; });
  EXPECT_EQ(ep.stats(job.next()).answer_bytes, before + 300);
}

// ---- with the other rights of a token ----

thread_local unsigned rights_replies = 0;
thread_local unsigned rights_wrong = 0;

void on_rights_reply(am::reply_token t, bytes) {
  rights_wrong += am_token_reply_room(t.raw()) != 0;
  rights_wrong += am_token_reply_medium(t.raw(), &am::detail::entry_of<on_counted_reply>::entry,
                                        "x", 1, 0, 0, 0, 0) != AM_USAGE_IN_HANDLER;
  rights_wrong += am_token_reply_store(t.raw(), &rights_replies, "x", 1,
                                       &am::detail::entry_of<on_stored>::entry, 0, 0, 0,
                                       0) != AM_USAGE_IN_HANDLER;
  ++rights_replies;
}
void on_rights_request(am::request_token t) {
  rights_wrong +=
      am_token_reply_medium({nullptr, 0}, nullptr, nullptr, 0, 0, 0, 0, 0) != AM_USAGE_LEFT;
  rights_wrong +=
      am_token_reply_medium(t.raw(), nullptr, nullptr, 0, 0, 0, 0, 0) != AM_ARGUMENT_HANDLER;
  rights_wrong +=
      am_token_reply_store(t.raw(), nullptr, "x", 1, &am::detail::entry_of<on_stored>::entry, 0, 0,
                           0, 0) != AM_ARGUMENT_ADDRESS;
  t.reply<on_rights_reply>(filled(5, 1));
}

CASE("answers with data follow the rules of replies") {
  auto& ep = job.ep();
  ep.request<on_rights_request>(job.next(), am::reply_room(5));
  ep.wait([] { return rights_replies == 1; });
  EXPECT_EQ(rights_wrong, 0U);
}

}  // namespace

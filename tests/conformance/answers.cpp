// Replies that carry data: with a payload, and into the requester's memory. Room for them is the
// requester's business, so they never wait; and it always comes home.
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
  std::uint64_t next[64] = {};  // by rank: which answer comes next
};

thread_local seen sized;

void sized_back(am::reply_token, bytes data, std::size_t size, std::uint64_t seed) {
  const auto at = reinterpret_cast<std::uintptr_t>(data.data());
  ++sized.answers;
  sized.wrong +=
      data.size() != size || !is_filled(data, seed) || at % alignof(std::max_align_t) != 0;
}
void sized_ask(am::request_token t, std::size_t size, std::uint64_t seed, std::size_t room) {
  if (t.reply_room() != room) ++sized.wrong;
  std::vector<std::byte> data = filled(size, seed);
  t.reply<sized_back>(data, size, seed);
  std::ranges::fill(data, std::byte{0xee});
}
void sized_ask_too(am::request_token t, bytes data, std::size_t size, std::uint64_t seed) {
  if (!is_filled(data, seed)) ++sized.wrong;
  t.reply<sized_back>(data.first(size), size, seed);
}

CASE("answers of 0 bytes up to max_medium arrive whole, aligned, and the source is free at once") {
  auto& ep = job.ep();
  const std::array<std::size_t, 13> sizes{
      0, 1, 7, 8, 16, 63, 64, 65, 4095, 4096, 4097, 8191, ep.max_medium()};
  for (am::rank_id to = 0; to < job.ranks(); ++to) {
    for (const std::size_t size : sizes) {
      const std::size_t room = std::min(size + 3, ep.max_medium());
      ep.request<sized_ask>(to, am::reply_room(room), size, size + 1, room);
      ep.request<sized_ask_too>(to, am::reply_room(size), filled(size, 7), size, 7);
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

void told(am::reply_token) { ++refused; }
void took(am::reply_token, bytes data) {
  refused_wrong += data.size() != 0;
  ++refused;
}

void asked_for_more(am::request_token t, std::size_t room) {
  refused_wrong += t.reply_room() != room;
  const std::vector<std::byte> more(room + 1);
  refused_wrong += am_test::thrown_by([&] { t.reply<took>(more); }) != AM_ARGUMENT_SIZE;
  const std::string line = am_error_text();
  refused_wrong += line.find(std::to_string(room + 1)) == std::string::npos ||
                   line.find("room for " + std::to_string(room)) == std::string::npos;
  refused_wrong += am_token_reply_medium(t.raw(), &am::detail::entry_of<took>::entry, nullptr, room,
                                         0, 0, 0, 0) != (room == 0 ? AM_OK : AM_ARGUMENT_ADDRESS);
  if (room == 0) return;
  refused_wrong += t.reply_room() != room;
  t.reply<told>();
  refused_wrong += t.reply_room() != 0;
  refused_wrong += am_test::thrown_by([&] { t.reply<took>(bytes()); }) != AM_USAGE_REPLIED;
}

CASE("more than was reserved is refused with both values, and the handler may answer still") {
  auto& ep = job.ep();
  for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{100}})
    ep.request<asked_for_more>(job.next(), am::reply_room(room), room);
  ep.request<asked_for_more>(job.next(), std::size_t{0});
  ep.wait([] { return refused == 4; });
  EXPECT_EQ(refused_wrong, 0U);
  const am::reply_room too_much(ep.max_medium() + 1);
  EXPECT_EQ(am_test::thrown_by([&] { ep.request<asked_for_more>(job.next(), too_much, 1); }),
            AM_ARGUMENT_SIZE);
  EXPECT(std::string(am_error_text()).find(std::to_string(ep.max_medium() + 1)) !=
         std::string::npos);
  EXPECT_EQ(ep.try_request<asked_for_more>(job.next(), too_much, 1).code(), AM_ARGUMENT_SIZE);
}

// ---- floods ----

thread_local seen flood;

void flood_back(am::reply_token t, bytes data, std::uint64_t number) {
  ++flood.answers;
  flood.wrong += flood.next[t.source()]++ != number || !is_filled(data, number);
}
void flood_ask(am::request_token t, std::uint64_t number) {
  t.reply<flood_back>(filled(number % (t.reply_room() + 1), number), number);
}
void flood_back_alone(am::reply_token t, std::uint64_t number) {
  ++flood.answers;
  flood.wrong += flood.next[t.source()]++ != number;
}
void flood_ask_alone(am::request_token t, std::uint64_t number) {
  t.reply<flood_back_alone>(number);
}

CASE("floods from all sides, with room used up and answers of all kinds, keep their order") {
  auto& ep = job.ep();
  const std::uint32_t count = job.per_pair(6000);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (am::rank_id to = 0; to < job.ranks(); ++to) {
      if (i % 5 == 4)
        ep.request<flood_ask_alone>(to, i);
      else
        ep.request<flood_ask>(to, am::reply_room(i % 3 == 0 ? ep.max_medium() : 1 + i % 700), i);
    }
  }
  const auto all = static_cast<unsigned>(count * job.ranks());
  ep.wait([&] { return flood.answers >= all; });
  EXPECT_EQ(flood.answers, all);
  EXPECT_EQ(flood.wrong, 0U);
}

// ---- room comes home ----

thread_local unsigned silent_ran = 0;
thread_local unsigned try_back = 0;

void silent(am::request_token) { ++silent_ran; }
void answered(am::reply_token, bytes) { ++try_back; }
void answers_little(am::request_token t) { t.reply<answered>(bytes()); }

CASE("a handler that does not answer gives the room back, and so does one that answers with less") {
  auto& ep = job.ep();
  const unsigned count = 4 * job.per_rank(200);
  const am::reply_room room(ep.max_medium());
  for (unsigned i = 0; i < count; ++i) {
    ep.request<silent>(job.next(), room);
    ep.request<answers_little>(job.next(), room);
  }
  ep.wait([&] { return silent_ran == count && try_back == count; });
}

CASE("try_request says again(payload room) when all room is taken, and nothing has happened") {
  auto& ep = job.ep();
  const am::reply_room room(ep.max_medium());
  const unsigned before = try_back;
  unsigned sent = 0;
  am::status status;
  while ((status = ep.try_request<answers_little>(job.next(), room))) ++sent;
  EXPECT(status == AM_AGAIN_PAYLOAD || status == AM_AGAIN_CREDIT || status == AM_AGAIN_CONNECTING);
  EXPECT(sent < 1000);
  ep.wait([&] { return try_back == before + sent; });
  ep.request<answers_little>(job.next(), room);
  ep.wait([&] { return try_back == before + sent + 1; });
}

// ---- into the requester's memory ----

struct stored_seen {
  unsigned answers = 0;
  unsigned wrong = 0;
  unsigned smaller = 0;
};
thread_local stored_seen into;

void put_there(am::reply_token, void* where, std::size_t size, std::uint64_t seed, void* wanted) {
  ++into.answers;
  into.wrong +=
      where != wanted || !is_filled(bytes(static_cast<const std::byte*>(where), size), seed);
}
void no_room_there(am::reply_token, void*) {
  ++into.answers;
  ++into.smaller;
}
void asks_for_store(am::request_token t, std::size_t size, void* where, std::uint64_t seed) {
  std::vector<std::byte> data = filled(size, seed);
  const am::status status = t.try_reply_store<put_there>(where, data, seed, where);
  std::ranges::fill(data, std::byte{0xee});
  if (status) return;
  into.wrong += status != AM_ARGUMENT_SIZE || size <= t.reply_room();
  t.reply<no_room_there>(where);
}

CASE("a reply stores bytes in a segment and in other memory of the requester, of every size") {
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
        ep.request<asks_for_store>(to, room, size, where, size);
        ep.wait([&] { return into.answers == before + 1; });
        std::memset(where, 0, size);
        // Without room: at once where the transport reaches the memory, or not at all.
        ep.request<asks_for_store>(to, size, where, size);
        ep.wait([&] { return into.answers == before + 2; });
        std::memset(where, 0, size);
      }
    }
  }
  EXPECT_EQ(into.wrong, 0U);
  ep.job_fence();
}

thread_local unsigned unmapped_back = 0;
thread_local unsigned unmapped_told = 0;
thread_local unsigned unmapped_wrong = 0;

void unmapped_came(am::reply_token, am::word refused_there) {
  ++unmapped_back;
  unmapped_told += refused_there != 0;
}
void never_there(am::reply_token, void*, std::size_t, am::word) { ++unmapped_wrong; }
void asks_for_unmapped(am::request_token t, void* where) {
  const am::status status = t.try_reply_store<never_there>(where, filled(64, 1), am::word{42});
  unmapped_wrong += !status && status != AM_ARGUMENT_ADDRESS;
  if (!status) t.reply<unmapped_came>(1);
}
void unmapped_undeliverable(am::reply_token, const am::returned& message) {
  ++unmapped_back;
  unmapped_wrong +=
      message.reason != AM_ARGUMENT_ADDRESS || message.words[0] != 42 || message.unknown != 1;
}

CASE("an address where nothing is mapped is refused, at one end or at the other",
     .processes = true) {
  auto& ep = job.ep();
  ep.on_undeliverable<unmapped_undeliverable>();
  void* nothing = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (unsigned i = 1; i <= 3; ++i) {
    ep.request<asks_for_unmapped>(job.next(), am::reply_room(64), nothing);
    ep.wait([&] { return unmapped_back == i; });
  }
  EXPECT_EQ(unmapped_wrong, 0U);
  ::munmap(nothing, 4096);
  ep.job_fence();
}

// ---- counted ----

thread_local unsigned counted_back = 0;
void counted(am::reply_token, bytes) { ++counted_back; }
void counts(am::request_token t) { t.reply<counted>(filled(100, 1)); }

CASE("what comes with answers is counted") {
  auto& ep = job.ep();
  const std::uint64_t before = ep.stats(job.next()).answer_bytes;
  for (int i = 0; i < 3; ++i) ep.request<counts>(job.next(), am::reply_room(100));
  ep.wait([] { return counted_back == 3; });
  EXPECT_EQ(ep.stats(job.next()).answer_bytes, before + 300);
}

// ---- with the other rights of a token ----

thread_local unsigned rights_back = 0;
thread_local unsigned rights_wrong = 0;

void rights_done(am::reply_token t, bytes) {
  rights_wrong += am_token_reply_room(t.raw()) != 0;
  rights_wrong += am_token_reply_medium(t.raw(), &am::detail::entry_of<counted>::entry, "x", 1, 0,
                                        0, 0, 0) != AM_USAGE_IN_HANDLER;
  rights_wrong +=
      am_token_reply_store(t.raw(), &rights_back, "x", 1, &am::detail::entry_of<put_there>::entry,
                           0, 0, 0, 0) != AM_USAGE_IN_HANDLER;
  ++rights_back;
}
void rights_ask(am::request_token t) {
  rights_wrong +=
      am_token_reply_medium({nullptr, 0}, nullptr, nullptr, 0, 0, 0, 0, 0) != AM_USAGE_LEFT;
  rights_wrong +=
      am_token_reply_medium(t.raw(), nullptr, nullptr, 0, 0, 0, 0, 0) != AM_ARGUMENT_HANDLER;
  rights_wrong +=
      am_token_reply_store(t.raw(), nullptr, "x", 1, &am::detail::entry_of<put_there>::entry, 0, 0,
                           0, 0) != AM_ARGUMENT_ADDRESS;
  t.reply<rights_done>(filled(5, 1));
}

CASE("answers with data follow the rules of replies") {
  auto& ep = job.ep();
  ep.request<rights_ask>(job.next(), am::reply_room(5));
  ep.wait([] { return rights_back == 1; });
  EXPECT_EQ(rights_wrong, 0U);
}

}  // namespace

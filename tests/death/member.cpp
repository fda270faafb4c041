// A rank of a job that survives deaths; rank 1 dies, unless a scenario says otherwise. Every
// survivor checks its notifications, closes, and prints "survived".
#include "member.hpp"

#include <poll.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace {

void on_reply(am::reply_token) { ++counts.answered; }
void on_request(am::request_token t) { t.reply<on_reply>(); }
void on_note(am::request_token) { ++counts.handled; }
void on_medium(am::request_token, std::span<const std::byte>) {}
void on_store(am::request_token, void*, std::size_t) { ++counts.handled; }
void on_get(am::reply_token, void*, std::size_t) { ++counts.answered; }
void on_source_free(am::reply_token, void*, std::size_t, int) { ++counts.answered; }
void on_atomic(am::reply_token, am::word) { ++counts.answered; }

void on_undeliverable(am::reply_token, const am::returned& message) {
  EXPECT(message.rank == victim && message.reason == AM_PEER_DEAD);
  EXPECT(counts.deaths == 0);  // the returns come before the death is reported
  ++counts.returned;
  counts.unknown += message.unknown != 0;
}
void on_peer_failure(am::reply_token t, am::rank_id rank) {
  EXPECT(t.source() == rank);
  EXPECT(counts.last_death != rank || counts.deaths == 0);
  counts.last_death = rank;
  ++counts.deaths;
}

// ---- how it ends --------------------------------------------------------------------------------

void waiting(am::endpoint& ep) {
  if (is_victim(ep)) die_later();
  await_death(ep);
  EXPECT(counts.last_death == victim && ep.deaths() == 1 && counts.returned == 0);
}

// Asleep in the program's own event loop.
void looping(am::endpoint& ep) {
  if (is_victim(ep)) die_later();
  while (counts.deaths == 0) {
    ep.poll();
    if (counts.deaths != 0 || !ep.arm()) continue;
    pollfd wake{ep.fd(), POLLIN, 0};
    EXPECT(::poll(&wake, 1, 20000) == 1);
  }
}

void exiting(am::endpoint& ep) {
  if (is_victim(ep)) ::_exit(0);
  await_death(ep);
}

void abandoning(am::endpoint& ep) {
  if (is_victim(ep)) {
    am_ep_abandon(ep.raw());
    ::sleep(1);  // less than the time that am-run waits for a reason
    ::_exit(3);
  }
  await_death(ep);
}

// The others are notified of each; rank 0 survives both.
void two(am::endpoint& ep) {
  if (is_victim(ep)) die_later();
  await_death(ep);
  if (ep.rank() == 2) die_later();
  await_death(ep, 2);
  EXPECT(ep.deaths() == 2 && is_dead([&] { ep.request<on_note>(2); }));
}

void stopping(am::endpoint& ep) {
  if (is_victim(ep)) ::raise(SIGSTOP);  // the test continues it
  ep.request<on_request>(victim);
  ep.wait([] { return counts.answered == 1; });
  EXPECT(ep.deaths() == 0 && counts.deaths == 0);
}

void leaving(am::endpoint& ep) {
  if (is_victim(ep)) die_later();
}

// Its last requests get bytes into its own memory, which was not announced as room.
void on_stored(am::reply_token, void*, std::size_t) { ++counts.answered; }
void on_store_request(am::request_token t, void* where) {
  static const std::array<std::byte, 1000> data{};
  ++counts.handled;
  t.reply_store<on_stored>(where, data);
}
void answering(am::endpoint& ep) {
  static std::array<std::byte, 1000> here;
  const bool after_an_answer = std::getenv("LIBAM_TEST_AFTER_AN_ANSWER") != nullptr;
  if (is_victim(ep)) {
    if (after_an_answer) {
      ep.request<on_store_request>(0, here.data());
      ep.wait([] { return counts.answered == 1; });
    }
    ep.request<on_store_request>(0, here.data());
    die();
  }
  if (ep.rank() == 0 && after_an_answer) ep.wait([] { return counts.handled >= 1; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  await_death(ep);
  EXPECT(counts.handled == (ep.rank() == 0 ? 1U + after_an_answer : 0U));
}

void fencing(am::endpoint& ep) {
  if (is_victim(ep)) die_later();
  ep.job_fence();
  ep.update_handlers();
  am::segment all = ep.all_segments(4096);
  EXPECT(all.address_at(victim) == nullptr && all.address_at(ep.rank()) == all.address());
  await_death(ep);
}

void aborting(am::endpoint& ep) {
  if (is_victim(ep)) die_later();
  await_death(ep);
  if (ep.rank() == 0) ep.abort(42);
  ep.wait([] { return false; });
}

// ---- what is sent to it -------------------------------------------------------------------------

// Its published messages are handled before the death is reported.
void sending_before(am::endpoint& ep) {
  constexpr unsigned many = 50;
  if (is_victim(ep)) {
    for (am::rank_id to = 0; to < ep.ranks(); ++to)
      for (unsigned i = 0; i < many && to != victim; ++i) ep.request<on_note>(to);
    die();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  while (counts.deaths == 0) ep.poll(1);
  EXPECT(counts.handled == many);
}

// It does not poll once it has left the fence, and the others send only after that: so all that is
// in flight has certainly not run, and waits for credits or room end.
bool may_send = false;
void on_go(am::request_token) { may_send = true; }
void die_without_polling(am::endpoint& ep) {
  for (am::rank_id to = 0; to < ep.ranks(); ++to)
    if (to != victim) (void)ep.try_request<on_go>(to);
  die_later(300);
}
void credits(am::endpoint& ep) {
  if (is_victim(ep)) die_without_polling(ep);
  ep.wait([] { return may_send; });
  unsigned sent = 0;
  EXPECT(is_dead([&] {
    for (;; ++sent) ep.request<on_note>(victim);
  }));
  await_death(ep);
  EXPECT(counts.returned == sent && counts.unknown == 0);
}
void room(am::endpoint& ep) {
  if (is_victim(ep)) die_without_polling(ep);
  ep.wait([] { return may_send; });
  const std::vector<std::byte> large(ep.max_medium());
  unsigned sent = 0;
  EXPECT(is_dead([&] {
    for (;; ++sent) ep.request<on_medium>(victim, large);
  }));
  await_death(ep);
  EXPECT(counts.returned == sent && counts.unknown == 0);
}

void calls(am::endpoint& ep) {
  am::segment all = ep.all_segments(4096);
  if (is_victim(ep)) die_later();
  await_death(ep);
  std::array<std::byte, 64> data{};
  void* const there = all.address_at(victim);
  auto* const word = static_cast<am::word*>(there);
  EXPECT(is_dead([&] { ep.request<on_note>(victim); }));
  EXPECT(is_dead([&] { ep.request<on_medium>(victim, data); }));
  EXPECT(ep.try_request<on_note>(victim).code() == AM_PEER_DEAD);
  EXPECT(is_dead([&] { ep.store<on_store>(victim, there, data); }));
  EXPECT(is_dead([&] { ep.store<on_store>(victim, nullptr, {}); }));
  EXPECT(ep.try_store<on_store>(victim, there, data).code() == AM_PEER_DEAD);
  EXPECT(is_dead([&] { ep.store_async<on_store, on_source_free>(victim, there, data, 0); }));
  EXPECT(is_dead([&] { ep.get<on_get>(victim, there, data); }));
  EXPECT(is_dead([&] { ep.get<on_get>(victim, nullptr, {}); }));
  EXPECT(is_dead([&] { ep.fetch_add<on_atomic>(victim, word, 1); }));
  EXPECT(is_dead([&] { ep.fence(victim); }));
  const am::rank_id other = 2 - ep.rank();
  ep.request<on_request>(other);
  ep.wait([] { return counts.answered == 1; });
  EXPECT(counts.returned == 0);
}

// Bulk data in flight in messages; to be run with AM_SHM_BULK=fragments. The store is two pieces.
void bulk(am::endpoint& ep) {
  const std::vector<std::byte> data(ep.max_medium() + 1);
  std::vector<std::byte> landing(100);
  static am::word word = 0;
  if (is_victim(ep)) die_later();
  ep.store<on_store>(victim, landing.data(), data);
  ep.get<on_get>(victim, landing.data(), landing);
  ep.fetch_add<on_atomic>(victim, &word, 1);
  await_death(ep);
  EXPECT(counts.returned == 3 && counts.unknown == 0 && counts.answered == 0);
}

// Rank 0 is in the middle of a copy, its own or the victim's, when the victim dies: with large
// data, little time is spent between copies. Bytes whose handler runs are complete.
constexpr std::size_t large = std::size_t{16} << 20;
bool whole(const std::byte* data) {
  return data[0] != std::byte{} && data[0] == data[large / 2] && data[0] == data[large - 1];
}
void on_large_store(am::request_token t, void* data, std::size_t bytes) {
  EXPECT(bytes == large && whole(static_cast<std::byte*>(data)));
  ++counts.handled;
  t.reply<on_reply>();
}
void on_large_get(am::reply_token, void* data, std::size_t bytes) {
  EXPECT(bytes == large && whole(static_cast<std::byte*>(data)));
  ++counts.answered;
}
void store_repeatedly(am::endpoint& ep, am::rank_id to, void* there, unsigned times) {
  std::vector<std::byte> data(large);
  for (unsigned i = 0; i < times; ++i) {
    std::memset(data.data(), static_cast<int>(i % 255 + 1), large);
    const unsigned before = counts.answered;
    ep.store<on_large_store>(to, there, data);
    ep.wait([before] { return counts.answered != before || counts.deaths != 0; });
  }
}
constexpr unsigned endless = ~0U;
void start_to_die() { std::thread(die_later, 100).detach(); }
void copying(am::endpoint& ep) {
  am::segment all = ep.all_segments(large);
  if (is_victim(ep)) {
    store_repeatedly(ep, 0, all.address_at(0), 1);
    start_to_die();
    store_repeatedly(ep, 0, all.address_at(0), endless);
  }
  await_death(ep);
  EXPECT(ep.rank() != 0 || counts.handled != 0);
}
void copied_to(am::endpoint& ep) {
  am::segment all = ep.all_segments(large);
  if (is_victim(ep)) {
    ep.wait([] { return counts.handled != 0; });
    start_to_die();
    ep.wait([] { return false; });
  }
  void* const there = all.address_at(victim);
  EXPECT(ep.rank() != 0 || is_dead([&] { store_repeatedly(ep, victim, there, endless); }));
  await_death(ep);
}
void copied_from(am::endpoint& ep) {
  am::segment all = ep.all_segments(large);
  std::vector<std::byte> here(large);
  if (is_victim(ep)) {
    std::memset(all.address(), 1, large);
    ep.request<on_go>(0);
    start_to_die();
    ep.wait([] { return false; });
  }
  unsigned gets = 0;
  if (ep.rank() == 0) {
    ep.wait([] { return may_send; });
    EXPECT(is_dead([&] {
      for (;; ++gets) {
        ep.get<on_large_get>(victim, all.address_at(victim), here);
        ep.wait([&] { return counts.answered + counts.returned > gets; });
      }
    }));
  }
  await_death(ep);
  EXPECT(counts.answered + counts.returned == gets && counts.returned <= 1);
}

void without_handler(am::endpoint& ep) {
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
  if (is_victim(ep)) die_later();
  ep.request<on_note>(victim);
  await_death(ep);
}

const std::map<std::string, void (*)(am::endpoint&)> scenarios{
    {"waiting", waiting},
    {"looping", looping},
    {"exiting", exiting},
    {"abandoning", abandoning},
    {"two", two},
    {"stopping", stopping},
    {"leaving", leaving},
    {"answering", answering},
    {"fencing", fencing},
    {"aborting", aborting},
    {"sending_before", sending_before},
    {"credits", credits},
    {"room", room},
    {"calls", calls},
    {"bulk", bulk},
    {"without_handler", without_handler},
    {"copying", copying},
    {"copied_to", copied_to},
    {"copied_from", copied_from},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  am::endpoint ep = am::join(argc, argv);
  ep.on_undeliverable<on_undeliverable>();
  ep.on_peer_failure<on_peer_failure>();
  ep.job_fence();
  std::fprintf(stderr, "in %d\n", static_cast<int>(::getpid()));
  if (const auto scenario = scenarios.find(argv[1]); scenario != scenarios.end())
    scenario->second(ep);
  else
    collectives(ep, argv[1]);
  ep.close();
  if (failures == 0) std::puts("survived");
  return failures == 0 ? 0 : 1;
}

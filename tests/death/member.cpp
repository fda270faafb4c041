// A rank in a job that outlives deaths; rank 1 is the one that dies, unless something else is said.
// Every survivor checks what it is told, closes, and says "survived".
#include "member.hpp"

#include <poll.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace {

void answer(am::reply_token) { ++now.answered; }
void ask(am::request_token t) { t.reply<answer>(); }
void note(am::request_token) { ++now.handled; }
void piece(am::request_token, std::span<const std::byte>) {}
void stored(am::request_token, void*, std::size_t) { ++now.handled; }
void done(am::reply_token, void*, std::size_t) { ++now.answered; }
void sent(am::reply_token, void*, std::size_t, int) { ++now.answered; }
void counted(am::reply_token, am::word) { ++now.answered; }

void came_back(am::reply_token, const am::returned& message) {
  EXPECT(message.rank == victim && message.reason == AM_PEER_DEAD);
  EXPECT(now.deaths == 0);  // the returns come before the death is told
  ++now.returned;
  now.unknown += message.unknown != 0;
}
void failed(am::reply_token t, am::rank_id rank) {
  EXPECT(t.source() == rank);
  EXPECT(now.last_death != rank || now.deaths == 0);
  now.last_death = rank;
  ++now.deaths;
}

// ---- how it comes -------------------------------------------------------------------------------

void waiting(am::endpoint& ep) {
  if (is_me(ep)) die_later();
  await_death(ep);
  EXPECT(now.last_death == victim && ep.deaths() == 1 && now.returned == 0);
}

// In another event loop, asleep.
void looping(am::endpoint& ep) {
  if (is_me(ep)) die_later();
  while (now.deaths == 0) {
    ep.poll();
    if (now.deaths != 0 || !ep.arm()) continue;
    pollfd wake{ep.fd(), POLLIN, 0};
    EXPECT(::poll(&wake, 1, 20000) == 1);
  }
}

void exiting(am::endpoint& ep) {
  if (is_me(ep)) ::_exit(0);
  await_death(ep);
}

void abandoning(am::endpoint& ep) {
  if (is_me(ep)) {
    am_ep_abandon(ep.raw());
    ::sleep(1);  // less than am-run gives it to explain itself
    ::_exit(3);
  }
  await_death(ep);
}

// The others hear of each; rank 0 survives both.
void two(am::endpoint& ep) {
  if (is_me(ep)) die_later();
  await_death(ep);
  if (ep.rank() == 2) die_later();
  await_death(ep, 2);
  EXPECT(ep.deaths() == 2 && is_dead([&] { ep.request<note>(2); }));
}

void stopping(am::endpoint& ep) {
  if (is_me(ep)) ::raise(SIGSTOP);  // whoever started the job goes on with it
  ep.request<ask>(victim);
  ep.wait([] { return now.answered == 1; });
  EXPECT(ep.deaths() == 0 && now.deaths == 0);
}

void leaving(am::endpoint& ep) {
  if (is_me(ep)) die_later();
}

// Its last words ask for bytes, with no room for them but its own memory.
void brought(am::reply_token, void*, std::size_t) { ++now.answered; }
void bring(am::request_token t, void* where) {
  static const std::array<std::byte, 1000> data{};
  ++now.handled;
  t.reply_store<brought>(where, data);
}
void answering(am::endpoint& ep) {
  static std::array<std::byte, 1000> here;
  const bool asked_before = std::getenv("LIBAM_TEST_ASKED_BEFORE") != nullptr;
  if (is_me(ep)) {
    if (asked_before) {
      ep.request<bring>(0, here.data());
      ep.wait([] { return now.answered == 1; });
    }
    ep.request<bring>(0, here.data());
    die();
  }
  if (ep.rank() == 0 && asked_before) ep.wait([] { return now.handled == 1; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  await_death(ep);
  EXPECT(now.handled == (ep.rank() == 0 ? 1U + asked_before : 0U));
}

void fencing(am::endpoint& ep) {
  if (is_me(ep)) die_later();
  ep.job_fence();
  ep.update_handlers();
  am::segment all = ep.all_segments(4096);
  EXPECT(all.address_at(victim) == nullptr && all.address_at(ep.rank()) == all.address());
  await_death(ep);
}

void aborting(am::endpoint& ep) {
  if (is_me(ep)) die_later();
  await_death(ep);
  if (ep.rank() == 0) ep.abort(42);
  ep.wait([] { return false; });
}

// ---- what is sent to it -------------------------------------------------------------------------

// What it had published is handled before the death is told.
void last_words(am::endpoint& ep) {
  constexpr unsigned many = 50;
  if (is_me(ep)) {
    for (am::rank_id to = 0; to < ep.ranks(); ++to)
      for (unsigned i = 0; i < many && to != victim; ++i) ep.request<note>(to);
    die();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  while (now.deaths == 0) ep.poll(1);
  EXPECT(now.handled == many);
}

// It never looks once it has left the fence, and others send after that alone: so all that is on
// its way has certainly not run, and who waits for credits or room waits no longer.
bool may_send = false;
void go(am::request_token) { may_send = true; }
void die_without_a_look(am::endpoint& ep) {
  for (am::rank_id to = 0; to < ep.ranks(); ++to)
    if (to != victim) (void)ep.try_request<go>(to);
  die_later(300);
}
void credits(am::endpoint& ep) {
  if (is_me(ep)) die_without_a_look(ep);
  ep.wait([] { return may_send; });
  unsigned sent = 0;
  EXPECT(is_dead([&] {
    for (;; ++sent) ep.request<note>(victim);
  }));
  await_death(ep);
  EXPECT(now.returned == sent && now.unknown == 0);
}
void room(am::endpoint& ep) {
  if (is_me(ep)) die_without_a_look(ep);
  ep.wait([] { return may_send; });
  const std::vector<std::byte> large(ep.max_medium());
  unsigned sent = 0;
  EXPECT(is_dead([&] {
    for (;; ++sent) ep.request<piece>(victim, large);
  }));
  await_death(ep);
  EXPECT(now.returned == sent && now.unknown == 0);
}

void calls(am::endpoint& ep) {
  am::segment all = ep.all_segments(4096);
  if (is_me(ep)) die_later();
  await_death(ep);
  std::array<std::byte, 64> data{};
  void* const there = all.address_at(victim);
  auto* const word = static_cast<am::word*>(there);
  EXPECT(is_dead([&] { ep.request<note>(victim); }));
  EXPECT(is_dead([&] { ep.request<piece>(victim, data); }));
  EXPECT(ep.try_request<note>(victim).code() == AM_PEER_DEAD);
  EXPECT(is_dead([&] { ep.store<stored>(victim, there, data); }));
  EXPECT(is_dead([&] { ep.store<stored>(victim, nullptr, {}); }));
  EXPECT(ep.try_store<stored>(victim, there, data).code() == AM_PEER_DEAD);
  EXPECT(is_dead([&] { ep.store_async<stored, sent>(victim, there, data, 0); }));
  EXPECT(is_dead([&] { ep.get<done>(victim, there, data); }));
  EXPECT(is_dead([&] { ep.get<done>(victim, nullptr, {}); }));
  EXPECT(is_dead([&] { ep.fetch_add<counted>(victim, word, 1); }));
  EXPECT(is_dead([&] { ep.fence(victim); }));
  const am::rank_id other = 2 - ep.rank();
  ep.request<ask>(other);
  ep.wait([] { return now.answered == 1; });
  EXPECT(now.returned == 0);
}

// Bulk data on its way in messages; to be run with AM_SHM_BULK=fragments. The store is two pieces.
void bulk(am::endpoint& ep) {
  const std::vector<std::byte> data(ep.max_medium() + 1);
  std::vector<std::byte> landing(100);
  static am::word word = 0;
  if (is_me(ep)) die_later();
  ep.store<stored>(victim, landing.data(), data);
  ep.get<done>(victim, landing.data(), landing);
  ep.fetch_add<counted>(victim, &word, 1);
  await_death(ep);
  EXPECT(now.returned == 3 && now.unknown == 0 && now.answered == 0);
}

// Rank 0 is in the middle of a copy, of its own or of the victim's, when the victim dies: large
// data, so that next to nothing is between copies. What is handled has come whole.
constexpr std::size_t large = std::size_t{16} << 20;
bool whole(const std::byte* data) {
  return data[0] != std::byte{} && data[0] == data[large / 2] && data[0] == data[large - 1];
}
void landed(am::request_token t, void* data, std::size_t bytes) {
  EXPECT(bytes == large && whole(static_cast<std::byte*>(data)));
  ++now.handled;
  t.reply<answer>();
}
void fetched(am::reply_token, void* data, std::size_t bytes) {
  EXPECT(bytes == large && whole(static_cast<std::byte*>(data)));
  ++now.answered;
}
void store_again_and_again(am::endpoint& ep, am::rank_id to, void* there, unsigned times) {
  std::vector<std::byte> data(large);
  for (unsigned i = 0; i < times; ++i) {
    std::memset(data.data(), static_cast<int>(i % 255 + 1), large);
    const unsigned before = now.answered;
    ep.store<landed>(to, there, data);
    ep.wait([before] { return now.answered != before || now.deaths != 0; });
  }
}
constexpr unsigned for_ever = ~0U;
void let_it_die() { std::thread(die_later, 100).detach(); }
void copying(am::endpoint& ep) {
  am::segment all = ep.all_segments(large);
  if (is_me(ep)) {
    store_again_and_again(ep, 0, all.address_at(0), 1);
    let_it_die();
    store_again_and_again(ep, 0, all.address_at(0), for_ever);
  }
  await_death(ep);
  EXPECT(ep.rank() != 0 || now.handled != 0);
}
void copied_to(am::endpoint& ep) {
  am::segment all = ep.all_segments(large);
  if (is_me(ep)) {
    ep.wait([] { return now.handled != 0; });
    let_it_die();
    ep.wait([] { return false; });
  }
  void* const there = all.address_at(victim);
  EXPECT(ep.rank() != 0 || is_dead([&] { store_again_and_again(ep, victim, there, for_ever); }));
  await_death(ep);
}
void copied_from(am::endpoint& ep) {
  am::segment all = ep.all_segments(large);
  std::vector<std::byte> here(large);
  if (is_me(ep)) {
    std::memset(all.address(), 1, large);
    ep.request<go>(0);
    let_it_die();
    ep.wait([] { return false; });
  }
  unsigned asked = 0;
  if (ep.rank() == 0) {
    ep.wait([] { return may_send; });
    EXPECT(is_dead([&] {
      for (;; ++asked) {
        ep.get<fetched>(victim, all.address_at(victim), here);
        ep.wait([&] { return now.answered + now.returned > asked; });
      }
    }));
  }
  await_death(ep);
  EXPECT(now.answered + now.returned == asked && now.returned <= 1);
}

void unheard(am::endpoint& ep) {
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
  if (is_me(ep)) die_later();
  ep.request<note>(victim);
  await_death(ep);
}

const std::map<std::string, void (*)(am::endpoint&)> ways{
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
    {"last_words", last_words},
    {"credits", credits},
    {"room", room},
    {"calls", calls},
    {"bulk", bulk},
    {"unheard", unheard},
    {"copying", copying},
    {"copied_to", copied_to},
    {"copied_from", copied_from},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  am::endpoint ep = am::join(argc, argv);
  ep.on_undeliverable<came_back>();
  ep.on_peer_failure<failed>();
  ep.job_fence();
  std::fprintf(stderr, "in %d\n", static_cast<int>(::getpid()));
  if (const auto way = ways.find(argv[1]); way != ways.end())
    way->second(ep);
  else
    collectives(ep, argv[1]);
  ep.close();
  if (failures == 0) std::puts("survived");
  return failures == 0 ? 0 : 1;
}

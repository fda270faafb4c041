// A rank in a job that outlives deaths; rank 1 is the one that dies, unless something else is said.
// Every survivor checks what it is told, closes, and says "survived".
#include <am/team.hpp>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr am::rank_id victim = 1;

// What this rank has been told, in its order.
struct told {
  unsigned handled = 0;   // of what the victim had sent
  unsigned answered = 0;  // of what it was asked
  unsigned returned = 0;
  unsigned unknown = 0;
  unsigned deaths = 0;
  am::rank_id last_death = 0;
};
told now;
unsigned failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "not so: %s\n", what);
}
#define EXPECT(...) expect(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)

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

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}
// Without a call of libam.
[[noreturn]] void die_later(int milliseconds = 50) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  die();
}

template <class Call>
bool is_dead(Call&& call) {
  try {
    call();
  } catch (const am::error& e) {
    return e.status().code() == AM_PEER_DEAD;
  }
  return false;
}
bool is_me(am::endpoint& ep) { return ep.rank() == victim; }
void await_death(am::endpoint& ep, unsigned deaths = 1) {
  ep.wait([deaths] { return now.deaths >= deaths; });
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

void unheard(am::endpoint& ep) {
  am_ep_on_undeliverable(ep.raw(), nullptr, nullptr);
  if (is_me(ep)) die_later();
  ep.request<note>(victim);
  await_death(ep);
}

// ---- collectives --------------------------------------------------------------------------------

// In a team of all, in one that the dead rank is of, and in one that it is not of.
template <class Collective>
void collective(am::endpoint& ep, Collective&& call) {
  am::team all(ep);
  am::team dead_ones = all.split(ep.rank() < 3 ? 0 : 1);
  if (is_me(ep)) die_later();
  EXPECT(is_dead([&] {
    for (;;) call(all);
  }));
  EXPECT(is_dead([&] { all.barrier(); }));
  const bool bereaved = ep.rank() < 3;
  EXPECT(bereaved == is_dead([&] { call(dead_ones); }));
  EXPECT(is_dead([&] { am::team again(ep); }));
  await_death(ep);
  EXPECT(now.returned == 0);
}

void collectives(am::endpoint& ep, const std::string& which) {
  std::vector<int> values(5000, 1);
  std::vector<int> parts(ep.ranks() * 10, 1);
  const auto sum = std::plus<>();
  const std::map<std::string, std::function<void(am::team&)>> calls{
      {"barrier", [](am::team& t) { t.barrier(); }},
      {"broadcast",
       [&](am::team& t) {
         t.broadcast(0, values);
         t.broadcast(1, values);
       }},
      {"reduce",
       [&](am::team& t) {
         t.reduce(0, values, sum);
         t.reduce(1, values, sum);
       }},
      {"all_reduce", [&](am::team& t) { (void)t.all_reduce(1, sum); }},
      {"scan", [&](am::team& t) { t.scan(values, sum); }},
      {"all_gather", [&](am::team& t) { (void)t.all_gather(1); }},
      {"all_to_all",
       [&](am::team& t) {
         std::vector<int> out(t.ranks() * 10, 1);
         std::vector<int> in(out.size());
         t.all_to_all(out, in);
       }},
      {"split", [](am::team& t) { (void)t.split(0); }},
  };
  collective(ep, calls.at(which));
}

const std::map<std::string, void (*)(am::endpoint&)> ways{
    {"waiting", waiting},       {"looping", looping}, {"exiting", exiting},
    {"abandoning", abandoning}, {"two", two},         {"stopping", stopping},
    {"leaving", leaving},       {"fencing", fencing}, {"aborting", aborting},
    {"last_words", last_words}, {"credits", credits}, {"room", room},
    {"calls", calls},           {"bulk", bulk},       {"unheard", unheard},
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

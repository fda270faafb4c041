// One rank is killed at a random point of traffic between all; the others go on and account for
// every request that they had sent to it, with room for its answer or without: handled, known to
// have been handled silently, or come back, once. What came back as certainly not run must not have
// run: the handlers count in memory that outlives their ranks. usage: traffic SEED VICTIM FILE
// SIGNAL, where SIGSTOP stands for a rank that is stopped first and killed a little later.
#include "ledger.hpp"

#include <am/am.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

using am_test::ledger;

ledger* book = nullptr;
unsigned failures = 0;
bool told = false;

void complain(am::rank_id peer, am::word id, const char* what) {
  if (++failures < 10)
    std::fprintf(stderr, "request %llu to rank %u %s\n", static_cast<unsigned long long>(id), peer,
                 what);
}

void replied(am::reply_token t, am::word id) { book->own(t.source(), id).replied += 1; }
void replied_with(am::reply_token t, std::span<const std::byte>, am::word id) {
  book->own(t.source(), id).replied += 1;
}
void asking(am::request_token t, am::word id) {
  book->count_handled(t.source(), id);
  t.reply<replied>(id);
}
void silent(am::request_token t, am::word id) { book->count_handled(t.source(), id); }
void asking_medium(am::request_token t, std::span<const std::byte>, am::word id) {
  book->count_handled(t.source(), id);
  t.reply<replied>(id);
}
void silent_medium(am::request_token t, std::span<const std::byte>, am::word id) {
  book->count_handled(t.source(), id);
}

void asking_with_room(am::request_token t, am::word id) {
  static const std::byte answer[600] = {};
  book->count_handled(t.source(), id);
  t.reply<replied_with>(std::span(answer, t.reply_room()), id);
}
void silent_with_room(am::request_token t, std::span<const std::byte>, am::word id) {
  book->count_handled(t.source(), id);
}

void came_back(am::reply_token, const am::returned& message) {
  auto& one = book->own(message.rank, message.words[0]);
  one.returned += 1;
  one.unknown = message.unknown != 0;
  if (told) complain(message.rank, message.words[0], "came back after the death was told");
  if (message.reason != AM_PEER_DEAD) complain(message.rank, message.words[0], "has a bad reason");
}
void failed(am::reply_token, am::rank_id) { told = true; }

void send_one(am::endpoint& ep, std::mt19937& random) {
  const am::rank_id to = random() % ep.ranks();
  if (to == ep.rank() || book->sent(to) == ledger::most) return;
  const am::word id = book->sent(to);
  const unsigned form = random() % 10;
  const std::byte data[600] = {};
  const std::span<const std::byte> some(data, random() % sizeof data);
  try {
    if (form < 3)
      ep.request<asking>(to, id);
    else if (form < 6)
      ep.request<silent>(to, id);
    else if (form == 6)
      ep.request<asking_medium>(to, some, id);
    else if (form == 7)
      ep.request<silent_medium>(to, some, id);
    else if (form == 8)
      ep.request<asking_with_room>(to, am::reply_room(some.size()), id);
    else
      ep.request<silent_with_room>(to, am::reply_room(some.size()), some, id);
  } catch (const am::error& e) {
    if (e.status().code() != AM_PEER_DEAD || !ep.deaths()) throw;
    return;
  }
  book->own(to, id).asked = form < 3 || form == 6 || form == 8;
  book->sent(to) += 1;
}

// What happened to one request, as its sender and its target know it.
void check(am::rank_id victim, am::rank_id to, am::word id, unsigned (&sums)[4]) {
  const auto& one = book->own(to, id);
  const unsigned ran = book->ran_at(to, id);
  if (ran > 1) complain(to, id, "was handled twice");
  if (one.replied + one.returned > 1) complain(to, id, "was answered twice");
  if (one.returned != 0 && to != victim) complain(to, id, "came back from the living");
  if (one.returned != 0 && !one.unknown && ran != 0)
    complain(to, id, "was handled and came back as not run");
  if (one.returned == 0 && ran != 1) complain(to, id, "is lost");
  if (one.asked && one.replied + one.returned != 1) complain(to, id, "has no answer");
  ++sums[one.replied != 0 ? 0 : one.returned == 0 ? 1 : one.unknown ? 3 : 2];
}

// By another process, for a stopped one does nothing any more.
void be_killed_some_time(std::mt19937& random, int signal) {
  const auto time = static_cast<useconds_t>(random() % 20000);
  const auto stopped = static_cast<useconds_t>(random() % 30000);
  const pid_t victim = ::getpid();
  if (::fork() != 0) return;
  ::usleep(time);
  ::kill(victim, signal);
  if (signal == SIGSTOP) {
    ::usleep(stopped);
    ::kill(victim, SIGKILL);
  }
  ::_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto seed = static_cast<unsigned>(std::atoi(argv[1]));
  const auto victim = static_cast<am::rank_id>(std::atoi(argv[2]));
  am::endpoint ep = am::join(argc, argv);
  ledger mine(argv[3], ep.rank(), ep.ranks());
  book = &mine;
  ep.on_undeliverable<came_back>();
  ep.on_peer_failure<failed>();
  ep.job_fence();
  std::mt19937 random(seed * 1000 + ep.rank());
  if (ep.rank() == victim) be_killed_some_time(random, std::atoi(argv[4]));
  // The others are at work until they hear of it, and a little longer.
  const unsigned pause = 1 + random() % 200;
  for (unsigned after = 0; after < 200; after += told) {
    send_one(ep, random);
    if (random() % pause == 0) ep.poll();
  }
  ep.close();
  unsigned sums[4] = {};
  unsigned others[4] = {};
  for (am::rank_id to = 0; to < mine.ranks(); ++to)
    for (am::word id = 0; id < mine.sent(to); ++id)
      check(victim, to, id, to == victim ? sums : others);
  std::printf("to the dead: %u replied, %u silent, %u not run, %u unknown; to others: %u\n",
              sums[0], sums[1], sums[2], sums[3], others[0] + others[1]);
  return failures == 0 ? 0 : 1;
}

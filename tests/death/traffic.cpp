// Ranks are killed at a random point of traffic between all; the others continue and account for
// every request that they had sent to them, with or without room for its answer: handled, known to
// have been handled silently, or returned, once. A request that returned as certainly not run must
// not have run: the handlers count in memory that survives their ranks. usage: traffic SEED VICTIMS
// FILE SIGNAL, where VICTIMS is a rank or FIRST-LAST; SIGSTOP means that a rank is stopped first
// and killed a little later, and 0 that the test kills them when they have said "in".
#include "request_log.hpp"

#include <am/am.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

using am_test::request_log;

request_log* the_log = nullptr;
unsigned failures = 0;
am::rank_id first_victim = 0;
am::rank_id last_victim = 0;
std::vector<bool> death_reported;  // by rank
am::rank_id deaths_reported = 0;

bool is_victim(am::rank_id rank) { return rank >= first_victim && rank <= last_victim; }
bool all_deaths_reported() { return deaths_reported > last_victim - first_victim; }

void report(am::rank_id peer, am::word id, const char* what) {
  if (++failures < 10)
    std::fprintf(stderr, "request %llu to rank %u %s\n", static_cast<unsigned long long>(id), peer,
                 what);
}

void on_reply(am::reply_token t, am::word id) { the_log->own(t.source(), id).replied += 1; }
void on_payload_reply(am::reply_token t, std::span<const std::byte>, am::word id) {
  the_log->own(t.source(), id).replied += 1;
}
void on_request(am::request_token t, am::word id) {
  the_log->count_handled(t.source(), id);
  t.reply<on_reply>(id);
}
void on_silent(am::request_token t, am::word id) { the_log->count_handled(t.source(), id); }
void on_medium(am::request_token t, std::span<const std::byte>, am::word id) {
  the_log->count_handled(t.source(), id);
  t.reply<on_reply>(id);
}
void on_silent_medium(am::request_token t, std::span<const std::byte>, am::word id) {
  the_log->count_handled(t.source(), id);
}

void on_request_with_room(am::request_token t, am::word id) {
  static const std::byte answer[600] = {};
  the_log->count_handled(t.source(), id);
  t.reply<on_payload_reply>(std::span(answer, t.reply_room()), id);
}
void on_silent_with_room(am::request_token t, std::span<const std::byte>, am::word id) {
  the_log->count_handled(t.source(), id);
}

void on_undeliverable(am::reply_token, const am::returned& message) {
  auto& one = the_log->own(message.rank, message.words[0]);
  one.returned += 1;
  one.unknown = message.unknown != 0;
  if (death_reported[message.rank])
    report(message.rank, message.words[0], "returned after the death was reported");
  if (message.reason != AM_PEER_DEAD) report(message.rank, message.words[0], "has a bad reason");
}
void on_peer_failure(am::reply_token, am::rank_id rank) {
  if (!is_victim(rank) || death_reported[rank]) report(rank, 0, "is reported as dead");
  death_reported[rank] = true;
  ++deaths_reported;
}

void send_one(am::endpoint& ep, std::mt19937& random) {
  const am::rank_id to = random() % ep.ranks();
  if (to == ep.rank() || the_log->sent(to) == request_log::most) return;
  const am::word id = the_log->sent(to);
  const unsigned form = random() % 10;
  const std::byte data[600] = {};
  const std::span<const std::byte> some(data, random() % sizeof data);
  try {
    if (form < 3)
      ep.request<on_request>(to, id);
    else if (form < 6)
      ep.request<on_silent>(to, id);
    else if (form == 6)
      ep.request<on_medium>(to, some, id);
    else if (form == 7)
      ep.request<on_silent_medium>(to, some, id);
    else if (form == 8)
      ep.request<on_request_with_room>(to, am::reply_room(some.size()), id);
    else
      ep.request<on_silent_with_room>(to, am::reply_room(some.size()), some, id);
  } catch (const am::error& e) {
    if (e.status().code() != AM_PEER_DEAD || !ep.deaths()) throw;
    return;
  }
  the_log->own(to, id).asked = form < 3 || form == 6 || form == 8;
  the_log->sent(to) += 1;
}

// Checks the outcome of one request against the runs at its target.
void check(am::rank_id to, am::word id, unsigned (&sums)[4]) {
  const auto& one = the_log->own(to, id);
  const unsigned ran = the_log->ran_at(to, id);
  if (ran > 1) report(to, id, "was handled twice");
  if (one.replied + one.returned > 1) report(to, id, "was answered twice");
  if (one.returned != 0 && !is_victim(to)) report(to, id, "came back from the living");
  if (one.returned != 0 && !one.unknown && ran != 0)
    report(to, id, "was handled and came back as not run");
  if (one.returned == 0 && ran != 1) report(to, id, "is lost");
  if (one.asked && one.replied + one.returned != 1) report(to, id, "has no answer");
  ++sums[one.replied != 0 ? 0 : one.returned == 0 ? 1 : one.unknown ? 3 : 2];
}

// By another process, since a stopped one cannot act any more.
void schedule_kill(std::mt19937& random, int signal) {
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
  const char* const dash = std::strchr(argv[2], '-');
  first_victim = static_cast<am::rank_id>(std::atoi(argv[2]));
  last_victim = dash == nullptr ? first_victim : static_cast<am::rank_id>(std::atoi(dash + 1));
  const int signal = std::atoi(argv[4]);
  am::endpoint ep = am::join(argc, argv);
  request_log mine(argv[3], ep.rank(), ep.ranks());
  the_log = &mine;
  death_reported.resize(ep.ranks());
  ep.on_undeliverable<on_undeliverable>();
  ep.on_peer_failure<on_peer_failure>();
  ep.job_fence();
  std::mt19937 random(seed * 1000 + ep.rank());
  if (signal == 0) std::fprintf(stderr, "in %d\n", static_cast<int>(::getpid()));
  if (is_victim(ep.rank()) && signal != 0) schedule_kill(random, signal);
  // The others send until they are notified, and a little longer. Until the test kills them seconds
  // pass, in which several jobs share the cores: those rest now and then.
  const unsigned pause = 1 + random() % 200;
  for (unsigned after = 0; after < 200; after += all_deaths_reported()) {
    send_one(ep, random);
    if (random() % pause != 0) continue;
    ep.poll();
    if (signal == 0) (void)ep.wait_for([] { return false; }, std::chrono::milliseconds(1));
  }
  ep.close();
  unsigned sums[4] = {};
  unsigned others[4] = {};
  for (am::rank_id to = 0; to < mine.ranks(); ++to)
    for (am::word id = 0; id < mine.sent(to); ++id) check(to, id, is_victim(to) ? sums : others);
  std::printf("to the dead: %u replied, %u silent, %u not run, %u unknown; to others: %u\n",
              sums[0], sums[1], sums[2], sums[3], others[0] + others[1]);
  return failures == 0 ? 0 : 1;
}

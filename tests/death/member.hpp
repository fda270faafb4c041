// Common to the ranks of a job that survives deaths: counts of notifications, checks, and how a
// rank dies.
#pragma once

#include <am/team.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

inline constexpr am::rank_id victim = 1;

// The notifications of this rank.
struct event_counts {
  unsigned handled = 0;   // of the victim's requests
  unsigned answered = 0;  // of the requests to it
  unsigned returned = 0;
  unsigned unknown = 0;
  unsigned deaths = 0;
  am::rank_id last_death = 0;
};
inline event_counts counts;
inline unsigned failures = 0;

inline void expect(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "not so: %s\n", what);
}
#define EXPECT(...) expect(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)

[[noreturn]] inline void die() {
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}
// Without a call of libam.
[[noreturn]] inline void die_later(int milliseconds = 50) {
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
inline bool is_victim(am::endpoint& ep) { return ep.rank() == victim; }
inline void await_death(am::endpoint& ep, unsigned deaths = 1) {
  ep.wait([deaths] { return counts.deaths >= deaths; });
}

// Every collective, with a dead member: `which` names it.
void collectives(am::endpoint& ep, const std::string& which);

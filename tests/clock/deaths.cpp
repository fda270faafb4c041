// Ranks die while another one refreshes its clock (AM_ON_PEER_DEATH=callback): the death of a rank
// that is not concerned changes nothing; that of the teacher is the refresh's error. Without a
// function for returned messages: none may be reported.
#include <am/team.hpp>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace {

bool is_refreshed = false;
void go_on(am::reply_token) {}
void report_refreshed(am::request_token t) {
  is_refreshed = true;
  t.reply<go_on>();  // so that the request is not returned
}

void die() { ::kill(::getpid(), SIGKILL); }

void teach(am::endpoint& ep) {
  // Rank 1 is asking, and learns of the other death, while this rank does not poll.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ep.wait([] { return is_refreshed; });
  die();
}

am::status refresh_until_refused(am::endpoint& ep, am::team& team, am::global_clock& clock) {
  team.refresh(clock);
  ep.request<report_refreshed>(0);
  try {
    while (true) team.refresh(clock);
  } catch (const am::error& e) {
    return e.status();
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::alarm(15);
  am::endpoint ep = am::join(argc, argv);
  am::team all(ep);
  am::global_clock clock = all.global_clock();
  if (ep.rank() == 2) die();
  if (ep.rank() == 0) teach(ep);
  const am::status refused = refresh_until_refused(ep, all, clock);
  if (refused.code() == AM_PEER_DEAD && ep.deaths() == 2) return 0;
  std::fprintf(stderr, "%s after %u deaths\n", refused.text(), ep.deaths());
  return 1;
}

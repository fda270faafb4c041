// Step 5: errors. Rank 0 names a rank that does not exist, sends more than the window takes, and
// waits for something that does not happen. With the argument "die" the last rank then fails, and
// the others go on without it; for that AM_ON_PEER_DEATH has to be callback.
#include <am/am.hpp>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace {

unsigned answers = 0;
void answer(am::reply_token) { ++answers; }
void ask(am::request_token t) { t.reply<answer>(); }

void name_a_wrong_rank(am::endpoint& ep) {
  try {
    ep.request<ask>(ep.ranks());
  } catch (const am::error& error) {
    std::printf("%s: %s\n", error.status().text(), error.what());
  }
}

// Never waits in a call. It polls when the window is full: polling counts the answers.
void send_without_waiting(am::endpoint& ep, am::rank_id to) {
  constexpr unsigned requests = 100000;
  for (unsigned sent = 0; sent < requests;) {
    const am::status status = ep.try_request<ask>(to);
    if (status)
      ++sent;
    else if (status.reason() == AM_REASON_AGAIN)
      ep.poll();
    else
      throw am::error(status);
  }
  ep.wait([] { return answers == requests; });
  std::printf("%u answers\n", answers);
}

void wait_in_vain(am::endpoint& ep) {
  const am::status status = ep.wait_for([] { return false; }, std::chrono::milliseconds(10));
  std::printf("%s\n", status.text());
}

// ---- the failure of a rank ----------------------------------------------------------------------

bool warned = false;
unsigned returned = 0;
unsigned failures = 0;
void warn(am::request_token) { warned = true; }
void take_back(am::reply_token, const am::returned&) { ++returned; }
void note_failure(am::reply_token, am::rank_id) { ++failures; }

[[noreturn]] void die(am::endpoint& ep) {
  for (am::rank_id to = 0; to + 1 < ep.ranks(); ++to)
    if (const am::status status = ep.try_request<warn>(to); !status) throw am::error(status);
  throw std::runtime_error("this rank fails");
}

void survive(am::endpoint& ep, am::rank_id victim) {
  ep.wait([] { return warned; });
  try {
    ep.request<ask>(victim);  // it is returned later, or refused now
  } catch (const am::error& error) {
    if (error.status().code() != AM_PEER_DEAD) throw;
    ++returned;
  }
  ep.wait([] { return failures == 1; });
  std::printf("rank %u: rank %u has failed, %u request is returned\n", ep.rank(), victim, returned);
}

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  ep.on_undeliverable<take_back>();
  ep.on_peer_failure<note_failure>();
  const am::rank_id last = ep.ranks() - 1;

  if (ep.rank() == 0) {
    name_a_wrong_rank(ep);
    send_without_waiting(ep, last);
    wait_in_vain(ep);
  }
  ep.job_fence();  // meanwhile the others wait here, and answer
  if (argc < 2 || std::strcmp(argv[1], "die") != 0) return 0;
  if (ep.rank() == last) die(ep);
  survive(ep, last);
} catch (const std::exception& error) {
  std::fprintf(stderr, "step5_errors: %s\n", error.what());
  return 1;
}

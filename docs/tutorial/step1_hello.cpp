// Step 1: join a job, send a request to the next rank, wait for its reply, leave.
#include <am/am.hpp>

#include <cstdio>

namespace {

// Set by the reply handler, which runs inside this rank's wait.
bool answered = false;
am::rank_id answered_by = 0;

void greeted(am::reply_token t) {
  answered_by = t.source();
  answered = true;
}

void greet(am::request_token t) { t.reply<greeted>(); }

}  // namespace

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  const am::rank_id next = (ep.rank() + 1) % ep.ranks();
  ep.request<greet>(next);
  ep.wait([] { return answered; });
  std::printf("rank %u of %u: rank %u has answered\n", ep.rank(), ep.ranks(), answered_by);
} catch (const am::error& error) {
  std::fprintf(stderr, "step1_hello: %s\n", error.what());
  return 1;
}

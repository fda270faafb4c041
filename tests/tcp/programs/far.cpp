// Two ranks whose network may fail: they exchange a message, then act by their arguments for at
// most the given time, and print whether they have lost each other, or the other is dead.
//   far idle|sending|late SECONDS
#include <am/am.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

using clock_type = std::chrono::steady_clock;

bool replied = false;
bool failed = false;

void on_reply(am::reply_token) { replied = true; }
void on_request(am::request_token t) { t.reply<on_reply>(); }
void on_medium(am::request_token, std::span<const std::byte>) {}
void on_undeliverable(am::reply_token, const am::returned&) {}
void on_peer_failure(am::reply_token, am::rank_id) { failed = true; }

void print(const char* what) {
  std::puts(what);
  std::fflush(stdout);
}

const char* describe_failure(am::endpoint& ep, am::rank_id other) {
  return ep.try_request<on_request>(other).code() == AM_PEER_DEAD ? "dead" : "lost";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  const auto time = std::chrono::seconds(std::atoi(argv[2]));
  am::endpoint ep = am::join(argc, argv);
  ep.on_undeliverable<on_undeliverable>();
  ep.on_peer_failure<on_peer_failure>();
  ep.job_fence();
  std::fprintf(stderr, "in %d\n", static_cast<int>(::getpid()));
  const am::rank_id other = 1 - ep.rank();
  if (mode == "late" && ep.rank() == 1) std::this_thread::sleep_for(time);
  ep.request<on_request>(other);
  ep.wait([] { return replied || failed; });
  if (replied) print("in touch");
  const auto end = clock_type::now() + time;
  const std::vector<std::byte> data(ep.max_medium());
  while (mode == "sending" && !failed && clock_type::now() < end) {
    (void)ep.try_request<on_medium>(other, data);
    ep.poll();
  }
  if (mode == "idle") (void)ep.wait_for([] { return failed; }, time);
  print(failed ? describe_failure(ep, other) : "still in touch");
  ep.close();
  return 0;
}

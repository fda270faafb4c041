// Two ranks whose network may break: they speak with each other, then do as they are told for at
// most so many seconds, and say whether they have lost each other.
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

bool answered = false;
bool lost = false;

void answer(am::reply_token) { answered = true; }
void ask(am::request_token t) { t.reply<answer>(); }
void take(am::request_token, std::span<const std::byte>) {}
void came_back(am::reply_token, const am::returned&) {}
void failed(am::reply_token, am::rank_id) { lost = true; }

void say(const char* what) {
  std::puts(what);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string way = argv[1];
  const auto time = std::chrono::seconds(std::atoi(argv[2]));
  am::endpoint ep = am::join(argc, argv);
  ep.on_undeliverable<came_back>();
  ep.on_peer_failure<failed>();
  ep.job_fence();
  std::fprintf(stderr, "in %d\n", static_cast<int>(::getpid()));
  const am::rank_id other = 1 - ep.rank();
  if (way == "late" && ep.rank() == 1) std::this_thread::sleep_for(time);
  ep.request<ask>(other);
  ep.wait([] { return answered || lost; });
  if (answered) say("in touch");
  const auto end = clock_type::now() + time;
  const std::vector<std::byte> data(ep.max_medium());
  while (way == "sending" && !lost && clock_type::now() < end) {
    (void)ep.try_request<take>(other, data);
    ep.poll();
  }
  if (way == "idle") (void)ep.wait_for([] { return lost; }, time);
  say(lost ? "lost" : "still in touch");
  ep.close();
  return 0;
}

// A rank with spans, one in a handler and one on a thread that owns no endpoint. With `die` rank 1
// is killed in the middle, with `hang MS` all are when they have waited so long (0.1 s), with
// `fork` a child makes spans, too; with `team` the ranks make collectives, and with `again`
// requests until one finds no credit; with `idle MS` rank 0 sleeps so long while the others wait.
// With `work` the parts are as long as some work takes, otherwise 2 ms.
#include <am/team.h>
#include <am/am.hpp>
#include <am/team.hpp>
#include <am/trace.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

bool asked = false;

void ask(am::request_token, am::word) {
  const am::span here("in a handler");
  asked = true;
}

bool works = false;

void spend(const char* name) {
  const am::span part(name);
  if (works) {
    for (unsigned left = 2'000'000; left != 0; --left) asm volatile("");
    return;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void make_collectives(const am::endpoint& ep) {
  am::team all(ep);
  const double sum = all.all_reduce(1.0, std::plus<>());
  const std::vector<int> gathered = all.all_gather(1);
  if (sum != ep.ranks() || gathered.size() != ep.ranks()) std::abort();
  if (am_ep_barrier(ep.raw()) != AM_OK) std::abort();
}

void request_until_again(am::endpoint& ep) {
  while (ep.try_request<ask>((ep.rank() + 1) % ep.ranks(), 1)) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  works = std::strcmp(how, "work") == 0;
  am::endpoint ep = am::join(argc, argv);
  if (std::strcmp(how, "team") == 0) make_collectives(ep);
  if (std::strcmp(how, "again") == 0) {
    if (ep.rank() == 0) request_until_again(ep);
    return 0;
  }
  if (std::strcmp(how, "idle") == 0) {
    const std::chrono::milliseconds length(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0);
    const auto end = std::chrono::steady_clock::now() + length;
    if (ep.rank() == 0)
      std::this_thread::sleep_until(end);
    else
      ep.wait([&] { return std::chrono::steady_clock::now() > end; });
    return 0;
  }
  spend("first part");
  std::thread([] { spend("of another thread"); }).join();
  if (std::strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      spend("of a child");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) return 1;
  }
  ep.request<ask>((ep.rank() + 1) % ep.ranks(), 1);
  ep.wait([] { return asked; });
  spend("second part");
  if (std::strcmp(how, "hang") == 0) {
    const std::chrono::milliseconds length(argc > 2 ? std::strtol(argv[2], nullptr, 10) : 100);
    const auto end = std::chrono::steady_clock::now() + length;
    ep.wait([&] { return std::chrono::steady_clock::now() > end && raise(SIGKILL) != 0; });
  }
  if (std::strcmp(how, "die") == 0 && ep.rank() == 1) raise(SIGKILL);
  return 0;
}

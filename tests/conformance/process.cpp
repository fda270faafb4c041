// Processes and threads: the child of a fork is refused, a second thread is refused until it adopts
// the endpoint.
#include "../support/suite.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<unsigned> handled{0};
void on_request(am::request_token) { ++handled; }
const am_handler* entry() { return &am::detail::entry_of<on_request>::entry; }
int always(void*) { return 1; }

// Makes every call that a process outside the job might make; returns their statuses.
std::array<am_status, 9> try_all(am_ep* ep, am::rank_id to) {
  std::size_t bytes = 0;
  return {am_ep_request(ep, to, entry(), 0, 0, 0, 0),
          am_ep_try_request(ep, to, entry(), 0, 0, 0, 0),
          am_ep_poll(ep, 0, nullptr),
          am_ep_wait(ep, always, nullptr),
          am_ep_flush(ep),
          am_ep_fence(ep, to),
          am_job_fence(ep),
          am_job_put(ep, "process", "x", 1),
          am_job_get(ep, 0, "process", nullptr, &bytes)};
}

CASE("without an endpoint every call is usage(left) or does nothing") {
  EXPECT_EQ(am_ep_rank(nullptr) + am_ep_ranks(nullptr), 0U);
  EXPECT_EQ(am_ep_max_medium(nullptr), std::size_t{0});
  EXPECT(am_ep_context(nullptr) == nullptr);
  am_ep_set_context(nullptr, nullptr);
  am_ep_on_undeliverable(nullptr, nullptr, nullptr);
  for (const am_status status : try_all(nullptr, 0)) EXPECT_EQ(status, AM_USAGE_LEFT);
}

CASE("in a forked child every call is usage(forked), and the parent continues", .processes = true) {
  auto& ep = job.ep();
  // Rings exist and messages have passed before the fork.
  ep.request<on_request>(job.next());
  ep.wait([] { return handled > 0; });
  ep.job_fence();
  const pid_t child = ::fork();
  if (child == 0) {
    int wrong = 0;
    for (const am_status status : try_all(ep.raw(), job.next())) wrong += status != AM_USAGE_FORKED;
    wrong += am_ep_close(ep.raw()) != AM_USAGE_FORKED;
    ::_exit(wrong);
  }
  EXPECT(child > 0);
  int result = -1;
  EXPECT_EQ(::waitpid(child, &result, 0), child);
  EXPECT(WIFEXITED(result));
  EXPECT_EQ(WEXITSTATUS(result), 0);
  const unsigned before = handled;
  ep.job_fence();
  ep.request<on_request>(job.next());
  ep.wait([&] { return handled == before + 1; });
  ep.job_fence();
}

// The signals that this process ignores or catches, except those of the watchdog and of threads.
std::uint64_t signals_taken() {
  constexpr std::uint64_t others = 1ULL << (SIGALRM - 1) | 3ULL << 31;
  std::ifstream status("/proc/self/status");
  std::uint64_t taken = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigIgn:") || line.starts_with("SigCgt:"))
      taken |= std::stoull(line.substr(7), nullptr, 16);
  return taken & ~others;
}
const std::uint64_t taken_before_main = signals_taken();

// The descriptors that `ls -l` of /proc/self/fd lists, without its own.
std::set<int> descriptors_in(const std::string& listing) {
  std::set<int> found;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    const auto arrow = line.find(" -> ");
    if (arrow == std::string::npos || line.find("/proc/", arrow) != std::string::npos) continue;
    found.insert(std::atoi(line.c_str() + line.rfind(' ', arrow - 1) + 1));
  }
  return found;
}
std::set<int> descriptors_now() {
  std::set<int> found;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd"))
    found.insert(std::atoi(one.path().filename().c_str()));
  return found;
}
const std::set<int> open_before_main = descriptors_now();

CASE("signals are the program's: libam ignores none and catches none", .processes = true) {
  EXPECT_EQ(signals_taken(), taken_before_main);
  job.ep().job_fence();
}

CASE("a program that a forked child executes has none of libam's descriptors", .processes = true) {
  auto& ep = job.ep();
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::execlp("ls", "ls", "-l", "/proc/self/fd", nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  std::string open;
  std::array<char, 1000> some{};
  for (ssize_t got = 0; (got = ::read(pipe[0], some.data(), some.size())) > 0;)
    open.append(some.data(), static_cast<std::size_t>(got));
  ::close(pipe[0]);
  int result = -1;
  EXPECT_EQ(::waitpid(child, &result, 0), child);
  EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  const std::set<int> inherited = descriptors_in(open);
  EXPECT(inherited.contains(STDOUT_FILENO));
  const char* join_socket = std::getenv("AM_JOB_FD");
  for (const int one : inherited)
    EXPECT(open_before_main.contains(one) &&
           (join_socket == nullptr || one != std::atoi(join_socket)));
  ep.job_fence();
}

int fork_result = -1;
void forked_reply(am::reply_token) { ++handled; }
void fork_inside(am::request_token t) {
  const pid_t child = ::fork();
  if (child == 0) {
    const am_status status =
        am_token_reply(t.raw(), &am::detail::entry_of<forked_reply>::entry, 0, 0, 0, 0);
    ::_exit(status == AM_USAGE_FORKED ? 0 : 1);
  }
  ::waitpid(child, &fork_result, 0);
  t.reply<forked_reply>();
}

CASE("a child that is forked inside a predicate is refused by its wait", .processes = true) {
  auto& ep = job.ep();
  pid_t child = -1;
  am_status refused = AM_OK;
  const auto fork_inside_done = [](void* arg) {
    const pid_t now = ::fork();
    if (now != 0) *static_cast<pid_t*>(arg) = now;
    return now == 0 ? 0 : 1;
  };
  refused = am_ep_wait(ep.raw(), fork_inside_done, &child);
  if (child == -1) ::_exit(refused == AM_USAGE_FORKED ? 0 : 1);
  EXPECT_EQ(refused, AM_OK);
  int result = -1;
  ::waitpid(child, &result, 0);
  EXPECT(WIFEXITED(result));
  EXPECT_EQ(WEXITSTATUS(result), 0);
  ep.job_fence();
}

CASE("a child that is forked inside a handler cannot reply for its parent", .processes = true) {
  auto& ep = job.ep();
  const unsigned before = handled;
  ep.request<fork_inside>(job.next());
  ep.wait([&] { return handled == before + 1 && fork_result != -1; });
  EXPECT(WIFEXITED(fork_result));
  EXPECT_EQ(WEXITSTATUS(fork_result), 0);
  ep.job_fence();
}

// Freeing a segment has no status, so nothing is refused.
CASE("a forked child and another thread do not free the owner's segment", .processes = true) {
  auto& ep = job.ep();
  am_seg* made = nullptr;
  am_seg* other = nullptr;
  EXPECT_EQ(am_seg_create(ep.raw(), 4096, &made), AM_OK);
  EXPECT_EQ(am_seg_create(ep.raw(), 4096, &other), AM_OK);
  auto* const bytes = static_cast<volatile char*>(am_seg_address(other));
  std::thread([&] { am_seg_destroy(other); }).join();
  bytes[4095] = 7;
  EXPECT_EQ(bytes[4095], 7);
  const pid_t child = ::fork();
  if (child == 0) {
    am_seg_destroy(made);
    ::_exit(0);
  }
  int result = -1;
  EXPECT_EQ(::waitpid(child, &result, 0), child);
  EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  am_seg_destroy(made);
  ep.job_fence();
}

struct forking {
  am_ep* ep;
  pid_t child = -1;
};

// Rank 0 comes last, so that the others wait for it and run posted functions.
CASE("a child forked while all make a segment does not free its parent's", .ranks = 2,
     .processes = true) {
  auto& ep = job.ep();
  const auto fork_and_tell = [](void* arg) {
    auto& how = *static_cast<forking*>(arg);
    how.child = ::fork();
    if (how.child != 0) am_ep_request(how.ep, 0, entry(), 0, 0, 0, 0);
  };
  forking how{ep.raw()};
  const unsigned before = handled;
  ep.job_fence();
  if (ep.rank() != 0)
    EXPECT_EQ(am_ep_post(ep.raw(), fork_and_tell, &how), AM_OK);
  else
    ep.wait([&] { return handled == before + ep.ranks() - 1; });
  am_seg* made = nullptr;
  const am_status status = am_seg_create_all(ep.raw(), 4096, &made);
  if (how.child == 0) ::_exit(status == AM_USAGE_FORKED && made == nullptr ? 0 : 1);
  EXPECT_EQ(status, AM_OK);
  if (ep.rank() != 0) {
    int result = -1;
    EXPECT(how.child > 0 && ::waitpid(how.child, &result, 0) == how.child);
    EXPECT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  }
  static_cast<volatile char*>(am_seg_address(made))[4095] = 7;
  am_seg_destroy(made);
  ep.job_fence();
}

CASE("a thread that is not the owner is refused with usage(other_thread)", .processes = true) {
  auto& ep = job.ep();
  std::array<am_status, 9> said{};
  std::thread([&] { said = try_all(ep.raw(), job.next()); }).join();
  for (const am_status status : said) EXPECT_EQ(status, AM_USAGE_OTHER_THREAD);
  ep.job_fence();
}

CASE("adopt makes a thread the owner, and then the first one is refused", .processes = true) {
  auto& ep = job.ep();
  const unsigned before = handled;
  ep.job_fence();
  std::thread([&] {
    ep.adopt();
    ep.request<on_request>(job.next());
    ep.wait([&] { return handled == before + 1; });
  }).join();
  EXPECT_EQ(am_test::thrown_by([&] { ep.poll(); }), am::status(AM_USAGE_OTHER_THREAD));
  ep.adopt();
  ep.job_fence();
}

}  // namespace

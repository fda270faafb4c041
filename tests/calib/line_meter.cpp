// The time of a cache line between two processes: both sides of it, whatever else they do.
#include <calib/program/line_meter.hpp>
#include <calib/program/sampling.hpp>

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace meter = calib::line_meter;

// The page by the name that a layer program gets.
class named_page {
 public:
  named_page() : file_(::memfd_create("line", 0)) {
    REQUIRE(::ftruncate(file_, sizeof(calib::line_page)) == 0);
    const std::string name = "/proc/self/fd/" + std::to_string(file_);
    REQUIRE(::setenv("CALIB_LINE", name.c_str(), 1) == 0);
  }
  ~named_page() {
    ::unsetenv("CALIB_LINE");
    ::close(file_);
  }
  named_page(const named_page&) = delete;
  named_page& operator=(const named_page&) = delete;

 private:
  int file_;
};

// Rank 1, which waits for something else, so that only a signal calls it.
pid_t start_other(int ready) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)meter::join(1);
  (void)!::write(ready, "r", 1);
  for (;;) ::pause();
}

bool is_whole(const std::optional<calib::cpu_state>& found) {
  return found && found->line > 0 && std::ranges::min(found->paces) > 0;
}

// The statuses of the parent's calls: one while the other process is there, one after its end.
int measure_with_other() {
  const named_page page;
  int ready[2];
  if (::pipe(ready) != 0) return 1;
  const pid_t other = start_other(ready[1]);
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) return 2;
  (void)meter::join(0);
  for (int i = 0; i < 3; ++i)
    if (!is_whole(meter::take())) return 3;
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  return meter::take() ? 4 : 0;
}

// A process that has stopped comes to no call; it goes on with a signal for each.
void stop(pid_t other) {
  ::kill(other, SIGSTOP);
  ::waitpid(other, nullptr, WUNTRACED);
}
void go_on(pid_t other) {
  ::kill(other, SIGCONT);
  ::waitpid(other, nullptr, WCONTINUED);
}

// 0: calls that are lost, but never `most` in turn, are lost alone, and after as many there are no
// more.
int lose_calls(int most) {
  const named_page page;
  int ready[2];
  if (::pipe(ready) != 0) return 1;
  const pid_t other = start_other(ready[1]);
  char byte = 0;
  if (::read(ready[0], &byte, 1) != 1) return 2;
  (void)meter::join(0);
  int status = 0;
  for (int lost = 1; lost <= most && status == 0; ++lost) {
    stop(other);
    for (int i = 0; i < lost; ++i)
      if (meter::take()) status = 3;
    go_on(other);
    if (meter::take().has_value() != (lost < most)) status = 3 + lost;
  }
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  return status;
}

int status_of(const std::function<int()>& what) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

// What a program writes that reports the states of these series.
std::string reported(const std::vector<std::vector<calib::cpu_state>>& all) {
  int out[2];
  REQUIRE(::pipe(out) == 0);
  CHECK(status_of([&] {
          ::dup2(out[1], STDOUT_FILENO);
          for (const auto& states : all) calib::reporter::states("rtt", states);
          return 0;
        }) == 0);
  ::close(out[1]);
  std::string text(4096, ' ');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(out[0], text.data(), 4096))));
  ::close(out[0]);
  return text;
}

}  // namespace

TEST_CASE("both sides of a call meet on the page, again and again") {
  calib::line_page page;
  for (const std::uint64_t call : {1U, 2U, 7U}) {
    std::thread other([&] { CHECK(meter::serve(page, call)); });
    const auto found = meter::measure(page, call);
    other.join();
    CHECK(is_whole(found));
    for (const calib::line_page::line& one : page.lines)
      CHECK(one.number == (call + 1) * 2 * meter::trips_per_line);
  }
}

TEST_CASE("the pace of the other side is waited for, and is its own") {
  calib::line_page page;
  std::thread other([&] {
    page.present.store(1);
    for (calib::line_page::line& one : page.lines)
      for (unsigned trip = 0; trip < meter::trips_per_line; ++trip) {
        const std::uint64_t number = 2 * meter::trips_per_line + 2 * trip + 1;
        while (one.number.load() != number) {
        }
        one.number.store(number + 1);
      }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    page.pace = 42;
    page.paced.store(1);
  });
  const auto found = meter::measure(page, 1);
  other.join();
  REQUIRE(found);
  CHECK(found->paces[0] > 0);
  CHECK(found->paces[0] != 42);
  CHECK(found->paces[1] == 42);
}

TEST_CASE("a side that does not come is not waited for") {
  calib::line_page page;
  CHECK_FALSE(meter::measure(page, 1));
  CHECK_FALSE(meter::serve(page, 1));  // is given up
  calib::line_page silent;
  CHECK_FALSE(meter::serve(silent, 1));
}

TEST_CASE("the other process comes from wherever it is, and its end is noticed") {
  CHECK(status_of(measure_with_other) == 0);
}

TEST_CASE(
    "a call that the other process misses is lost alone, and after three in turn there is none") {
  CHECK(status_of([] { return lose_calls(3); }) == 0);
}

TEST_CASE("lines are reported from the first that is known on, and then those that are lost as 0") {
  const calib::cpu_state lost{};
  CHECK(reported({{lost, lost}}).empty());
  CHECK(reported({{lost, lost}, {lost, {80, {1000, 2000}}}, {lost, lost}}) ==
        "lines rtt default 0.000 80.000\npaces rtt default 0.000 0.000 1000.000 2000.000\n"
        "lines rtt default 0.000 0.000\npaces rtt default 0.000 0.000 0.000 0.000\n");
}

TEST_CASE("without a page there is no time, and a page that cannot be opened is named") {
  CHECK(status_of([] {
          if (!meter::join(0).empty()) return 1;
          return meter::take() ? 2 : 0;
        }) == 0);
  CHECK(status_of([] {
          ::setenv("CALIB_LINE", "/none/line", 1);
          if (meter::join(0) != "open /none/line: No such file or directory") return 1;
          return meter::take() ? 2 : 0;
        }) == 0);
}

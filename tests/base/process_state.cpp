// Which processes count as gone: real processes in the states that precede their end.
#include <libam/base/checked_copy.hpp>
#include <libam/base/process_state.hpp>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

using namespace am::detail;

namespace {

// A process that runs `what` and then waits to be killed. The constructor returns when it has
// reported ready `times` times.
struct child {
  template <class Do>
  explicit child(unsigned times, Do&& what) : pid(begin()) {
    REQUIRE(pid >= 0);
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      what(*this);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    for (char byte = 0; times != 0; --times) REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
  }
  ~child() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  void report_ready() const { (void)!::write(ready[1], "", 1); }
  // Whether this byte can be read there; it has the same address here.
  [[nodiscard]] bool can_read(void* where) const {
    char byte = 0;
    return base::copy_from_process(pid, &byte, where, 1) == base::copy_status::all;
  }
  void await_end() const {
    siginfo_t end{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOWAIT) == 0);
  }

  int ready[2]{};
  const pid_t pid;

 private:
  pid_t begin() {
    REQUIRE(::pipe(ready) == 0);
    return ::fork();
  }
};

// Keeps this thread, and the processes that it forks, on the current processor.
struct one_processor {
  one_processor() {
    REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<unsigned>(::sched_getcpu()), &here);
    ::sched_setaffinity(0, sizeof here, &here);
  }
  ~one_processor() { ::sched_setaffinity(0, sizeof before, &before); }
  one_processor(const one_processor&) = delete;
  one_processor& operator=(const one_processor&) = delete;

  cpu_set_t before;
};

}  // namespace

TEST_CASE("a process is gone once it has ended, before and after its parent waits for it") {
  pid_t ended = 0;
  {
    const child one(0, [](const child&) {});
    ended = one.pid;
    CHECK_FALSE(base::is_gone(ended));
    ::kill(ended, SIGKILL);
    one.await_end();
    CHECK(base::process_state(ended) == "is dead");
    CHECK(base::is_gone(ended));
  }
  CHECK(base::process_state(ended) == "is gone");
  CHECK(base::is_gone(ended));
}

TEST_CASE("a process of which only the first thread has ended is not gone") {
  const child one(0, [](const child&) {
    std::thread([] {
      for (;;) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);
  });
  while (base::process_state(one.pid) != "is dead") ::usleep(1000);
  CHECK_FALSE(base::is_gone(one.pid));
  ::kill(one.pid, SIGKILL);
  one.await_end();
  CHECK(base::is_gone(one.pid));
}

// The kernel takes its time to unmap that many small pages, and more of it where the process shares
// a processor with one of higher priority: the observer.
TEST_CASE("a process whose memory can no longer be read, because it exits, is gone") {
  constexpr std::size_t much = 256UL << 20;
  void* const memory =
      ::mmap(nullptr, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  ::madvise(memory, much, MADV_NOHUGEPAGE);
  const one_processor shared;
  const child one(1, [&](const child& self) {
    std::memset(memory, 1, much);
    ::setpriority(PRIO_PROCESS, 0, 19);
    self.report_ready();
  });
  REQUIRE(one.can_read(memory));
  ::kill(one.pid, SIGKILL);
  // Rarely: a concurrent read may hold the last reference to that memory, and then frees it itself.
  while (one.can_read(memory)) ::usleep(200);
  CHECK(base::is_gone(one.pid));
  ::munmap(memory, much);
}

// The first thread exits at once. The others run rarely: their priority is lower than the
// observer's.
TEST_CASE("a process that a signal ends is gone, though some of its threads have not ended yet") {
  constexpr unsigned others = 4;
  const one_processor shared;
  const child one(others, [&](const child& self) {
    for (unsigned i = 0; i < others; ++i)
      std::thread([&] {
        ::setpriority(PRIO_PROCESS, 0, 19);
        self.report_ready();
        for (volatile unsigned turns = 0;;) turns = turns + 1;
      }).detach();
  });
  char byte = 0;
  REQUIRE(one.can_read(&byte));
  ::kill(one.pid, SIGKILL);
  while (one.can_read(&byte)) {
  }
  CHECK(base::is_gone(one.pid));
}

// Which processes count as gone: real ones, in the states that a death goes through.
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

// A process that does this, and then waits to be killed. It is there when it has said so many times
// that it is ready.
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

  void say_ready() const { (void)!::write(ready[1], "", 1); }
  // This byte can be read there, which stands at the same place here.
  [[nodiscard]] bool lets_read(void* where) const {
    char byte = 0;
    return base::copy_from_process(pid, &byte, where, 1) == base::copied::all;
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

// While it lives this thread, and what it forks, keep to the processor that it is on.
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

TEST_CASE("a process is gone once it has ended, before its parent has asked and after") {
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

TEST_CASE("a process whose first thread alone has ended is not gone") {
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

// The kernel takes its time over so many small pages, and more of it where the process shares a
// processor with one that matters more: this one, which looks on.
TEST_CASE("a process whose memory can no longer be reached, because it ends, is gone") {
  constexpr std::size_t much = 256UL << 20;
  void* const memory =
      ::mmap(nullptr, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  ::madvise(memory, much, MADV_NOHUGEPAGE);
  const one_processor shared;
  const child one(1, [&](const child& self) {
    std::memset(memory, 1, much);
    ::setpriority(PRIO_PROCESS, 0, 19);
    self.say_ready();
  });
  REQUIRE(one.lets_read(memory));
  ::kill(one.pid, SIGKILL);
  // Seldom: a read that is under way may be the last to hold that memory, and free it itself.
  while (one.lets_read(memory)) ::usleep(200);
  CHECK(base::is_gone(one.pid));
  ::munmap(memory, much);
}

// The first thread is quick to end. The others run, and seldom: they matter less than this one,
// which looks on.
TEST_CASE("a process that a signal ends is gone, though some of its threads have yet to end") {
  constexpr unsigned others = 4;
  const one_processor shared;
  const child one(others, [&](const child& self) {
    for (unsigned i = 0; i < others; ++i)
      std::thread([&] {
        ::setpriority(PRIO_PROCESS, 0, 19);
        self.say_ready();
        for (volatile unsigned turns = 0;;) turns = turns + 1;
      }).detach();
  });
  char byte = 0;
  REQUIRE(one.lets_read(&byte));
  ::kill(one.pid, SIGKILL);
  while (one.lets_read(&byte)) {
  }
  CHECK(base::is_gone(one.pid));
}

// Wake-up sockets: which one is woken, and that waking never waits.
#include <libam/base/wakeup.hpp>

#include <doctest/doctest.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <utility>
#include <vector>

using am::detail::base::fd;
using am::detail::base::wakeup;

namespace {

wakeup make_wakeup() {
  fd socket;
  REQUIRE(wakeup::create(socket) == AM_OK);
  return wakeup(std::move(socket));
}

// With the smallest buffer: a few datagrams that are not read fill it, fewer than a queue holds,
// which are 10, or 512 where systemd has started the machine.
wakeup make_sender() {
  wakeup out = make_wakeup();
  const int least = 1;
  REQUIRE(::setsockopt(out.descriptor(), SOL_SOCKET, SO_SNDBUF, &least, sizeof least) == 0);
  return out;
}

std::vector<wakeup> make_many() {
  std::vector<wakeup> out;
  for (unsigned i = 0; i < 100; ++i) out.push_back(make_wakeup());
  return out;
}

// This process opens no more descriptors.
class no_descriptors {
 public:
  no_descriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const fd lowest_free(::dup(STDOUT_FILENO));
    const rlimit none{static_cast<rlim_t>(lowest_free.get()), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~no_descriptors() { (void)::setrlimit(RLIMIT_NOFILE, &before_); }
  no_descriptors(const no_descriptors&) = delete;
  no_descriptors& operator=(const no_descriptors&) = delete;

 private:
  rlimit before_{};
};

// Of this thread.
thread_local unsigned yields = 0;
thread_local std::function<void()> at_yield;

bool wakeup_pending(const wakeup& one) {
  pollfd readable{one.descriptor(), POLLIN, 0};
  return ::poll(&readable, 1, 0) == 1;
}

}  // namespace

// In front of that of the C library.
extern "C" int sched_yield() noexcept {
  ++yields;
  if (at_yield) at_yield();
  return static_cast<int>(::syscall(SYS_sched_yield));
}

TEST_CASE("a wakeup makes the named socket readable, until it is cleared") {
  const wakeup mine = make_wakeup();
  const wakeup first = make_wakeup();
  const wakeup second = make_wakeup();
  CHECK(first.own_name() != wakeup::no_name);
  CHECK(first.own_name() != second.own_name());
  mine.wake(second.own_name());
  CHECK(!wakeup_pending(first));
  CHECK(wakeup_pending(second));
  CHECK(wakeup_pending(second));
  second.clear();
  CHECK(!wakeup_pending(second));
  mine.wake(mine.own_name());
  CHECK(wakeup_pending(mine));
}

TEST_CASE("waking does not wait for a rank that does not read") {
  const wakeup mine = make_sender();
  const wakeup unread = make_wakeup();
  const unsigned before = yields;
  for (unsigned i = 0; i < 1000; ++i) mine.wake(unread.own_name());
  CHECK(yields == before);
  CHECK(wakeup_pending(unread));
}

TEST_CASE("each of many that do not read is woken, and waking does not wait for others") {
  const wakeup mine = make_sender();
  const std::vector<wakeup> unread = make_many();
  const unsigned before = yields;
  for (const wakeup& each : unread) mine.wake(each.own_name());
  CHECK(yields == before);
  for (const wakeup& each : unread) CHECK(wakeup_pending(each));
}

TEST_CASE("without a descriptor for a new socket a rank waits for those that read, not for ever") {
  const wakeup mine = make_sender();
  const wakeup last = make_wakeup();
  const std::vector<wakeup> unread = make_many();
  for (const wakeup& each : unread) mine.wake(each.own_name());  // its buffer is full
  const no_descriptors none;
  mine.wake(last.own_name());
  CHECK_FALSE(wakeup_pending(last));
  at_yield = [&] {
    for (const wakeup& each : unread) each.clear();
  };
  mine.wake(last.own_name());
  at_yield = nullptr;
  CHECK(wakeup_pending(last));
}

TEST_CASE("without a descriptor a rank with room does not wait for one whose queue is full") {
  const wakeup mine = make_wakeup();
  const wakeup unread = make_wakeup();
  for (const wakeup& each : make_many())  // 10 from each: more than any queue holds
    for (unsigned i = 0; i < 10; ++i) each.wake(unread.own_name());
  const no_descriptors none;
  const unsigned before = yields;
  mine.wake(unread.own_name());
  CHECK(yields - before <= 2);
}

TEST_CASE("from another network namespace a rank with a full buffer wakes when others have read") {
  const wakeup mine = make_sender();
  const wakeup last = make_wakeup();
  const std::vector<wakeup> unread = make_many();
  for (const wakeup& each : unread) mine.wake(each.own_name());  // its buffer is full
  constexpr int forbidden = 77;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) ::_exit(forbidden);
    at_yield = [&] {
      for (const wakeup& each : unread) each.clear();
    };
    mine.wake(last.own_name());
    ::_exit(wakeup_pending(last) ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  const bool skipped = WIFEXITED(status) && WEXITSTATUS(status) == forbidden;
  if (skipped) MESSAGE("skipped: no namespaces may be made here");
  CHECK((skipped || status == 0));
}

TEST_CASE("waking a closed socket, or none, does nothing") {
  const wakeup mine = make_wakeup();
  wakeup::name gone = make_wakeup().own_name();
  mine.wake(gone);
  mine.wake(wakeup::no_name);
  const wakeup none;
  CHECK(!none.valid());
  CHECK(none.own_name() == wakeup::no_name);
  none.wake(mine.own_name());
  CHECK(!wakeup_pending(mine));
}

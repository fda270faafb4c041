// Wake-up sockets: which one is woken, and that waking never waits.
#include <libam/base/wakeup.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <vector>

using am::detail::base::fd;
using am::detail::base::wakeup;

namespace {

wakeup make_wakeup() {
  fd socket;
  REQUIRE(wakeup::create(socket) == AM_OK);
  return wakeup(std::move(socket));
}

bool wakeup_pending(const wakeup& one) {
  pollfd readable{one.descriptor(), POLLIN, 0};
  return ::poll(&readable, 1, 0) == 1;
}

}  // namespace

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
  const wakeup mine = make_wakeup();
  const wakeup unread = make_wakeup();
  // More than a queue holds: 10 by default, and 512 where systemd has started the machine. There
  // the sender's buffer is full first, and a wake-up takes milliseconds.
  for (unsigned i = 0; i < 1000; ++i) mine.wake(unread.own_name());
  CHECK(wakeup_pending(unread));
}

TEST_CASE("each of many that do not read is woken") {
  const wakeup mine = make_wakeup();
  std::vector<wakeup> unread;
  for (unsigned i = 0; i < 400; ++i) unread.push_back(make_wakeup());
  for (const wakeup& each : unread) mine.wake(each.own_name());
  for (const wakeup& each : unread) CHECK(wakeup_pending(each));
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

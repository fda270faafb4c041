// The event loop of am-run: which callbacks run when descriptors are added and removed within one
// round.
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <doctest/doctest.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

using am::detail::base::fd;
using am::detail::run::event_loop;

TEST_CASE("a ready descriptor that was closed is not confused with a new one of the same number") {
  event_loop loop;
  fd both[] = {fd(::eventfd(1, EFD_CLOEXEC)), fd(::eventfd(1, EFD_CLOEXEC))};
  int calls = 0;
  int wrong_calls = 0;
  for (int i : {0, 1})
    loop.watch(both[i].get(), EPOLLIN, [&, i] {
      ++calls;
      fd& other = both[1 - i];
      const int number = other.get();
      loop.unwatch(number);
      other = fd();
      other = fd(::eventfd(0, EFD_CLOEXEC));
      REQUIRE(other.get() == number);
      loop.watch(number, EPOLLIN, [&] { ++wrong_calls; });
    });
  loop.run_once(0);
  CHECK(calls == 1);
  CHECK(wrong_calls == 0);
}

TEST_CASE("a changed descriptor keeps its callback, and a removed one has none") {
  event_loop loop;
  const fd one(::eventfd(1, EFD_CLOEXEC));
  int calls = 0;
  loop.watch(one.get(), 0, [&] { ++calls; });
  loop.run_once(0);
  CHECK(calls == 0);
  loop.change(one.get(), EPOLLIN);
  loop.run_once(0);
  CHECK(calls == 1);
  loop.unwatch(one.get());
  loop.change(one.get(), EPOLLIN);
  loop.run_once(0);
  CHECK(calls == 1);
}

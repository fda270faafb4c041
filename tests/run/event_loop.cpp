// The event loop of am-run: who is called when descriptors come and go inside one turn.
#include <libam/tools/am-run/event_loop.hpp>

#include <doctest/doctest.h>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

using am::detail::base::fd;
using am::detail::run::event_loop;

TEST_CASE("what was ready is not taken for another descriptor that has its number now") {
  event_loop loop;
  fd both[] = {fd(::eventfd(1, EFD_CLOEXEC)), fd(::eventfd(1, EFD_CLOEXEC))};
  int called = 0;
  int called_for_nothing = 0;
  for (int i : {0, 1})
    loop.watch(both[i].get(), EPOLLIN, [&, i] {
      ++called;
      fd& other = both[1 - i];
      const int number = other.get();
      loop.forget(number);
      other = fd();
      other = fd(::eventfd(0, EFD_CLOEXEC));
      REQUIRE(other.get() == number);
      loop.watch(number, EPOLLIN, [&] { ++called_for_nothing; });
    });
  loop.turn(0);
  CHECK(called == 1);
  CHECK(called_for_nothing == 0);
}

TEST_CASE("what is changed keeps its callback, and what is forgotten has none") {
  event_loop loop;
  const fd one(::eventfd(1, EFD_CLOEXEC));
  int called = 0;
  loop.watch(one.get(), 0, [&] { ++called; });
  loop.turn(0);
  CHECK(called == 0);
  loop.change(one.get(), EPOLLIN);
  loop.turn(0);
  CHECK(called == 1);
  loop.forget(one.get());
  loop.change(one.get(), EPOLLIN);
  loop.turn(0);
  CHECK(called == 1);
}

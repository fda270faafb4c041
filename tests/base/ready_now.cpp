// A look at a descriptor says what is there, also when a signal comes in its middle.
#include <libam/base/fd.hpp>
#include <libam/base/ready_now.hpp>

#include "../support/storm.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/eventfd.h>

using am::detail::base::fd;
using am::detail::base::ready_now;

TEST_CASE("nothing is there, whatever signals come") {
  const fd quiet(::eventfd(0, EFD_CLOEXEC));
  const am_test::storm outside;
  while (outside.signals() < 2000) {
    REQUIRE(ready_now(quiet.get(), 0) == 0);
    REQUIRE(ready_now(quiet.get(), POLLIN) == 0);
  }
}

TEST_CASE("what is there is told, and nothing else") {
  const fd sign(::eventfd(1, EFD_CLOEXEC));
  CHECK(ready_now(sign.get(), POLLIN) == POLLIN);
  CHECK(ready_now(sign.get(), 0) == 0);
  CHECK(ready_now(sign.get(), POLLIN | POLLOUT) == (POLLIN | POLLOUT));
}

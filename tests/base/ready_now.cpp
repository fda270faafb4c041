// ready_now reports the state of a descriptor, also when a signal interrupts it.
#include <libam/base/fd.hpp>

#include "../support/signal_storm.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/eventfd.h>

using am::detail::base::fd;
using am::detail::base::ready_now;

TEST_CASE("a quiet descriptor is not ready, whatever signals arrive") {
  const fd quiet(::eventfd(0, EFD_CLOEXEC));
  const am_test::signal_storm outside;
  while (outside.signals() < 2000) {
    REQUIRE(ready_now(quiet.get(), 0) == 0);
    REQUIRE(ready_now(quiet.get(), POLLIN) == 0);
  }
}

TEST_CASE("a readable descriptor is reported, and nothing else") {
  const fd readable(::eventfd(1, EFD_CLOEXEC));
  CHECK(ready_now(readable.get(), POLLIN) == POLLIN);
  CHECK(ready_now(readable.get(), 0) == 0);
  CHECK(ready_now(readable.get(), POLLIN | POLLOUT) == (POLLIN | POLLOUT));
}

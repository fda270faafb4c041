// ready_now and wait_ready report the state of a descriptor, also when signals interrupt them.
#include <libam/base/fd.hpp>

#include "../support/signal_storm.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <chrono>

using am::detail::base::fd;
using am::detail::base::ready_now;
using am::detail::base::wait_ready;
using clock_type = std::chrono::steady_clock;

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

TEST_CASE("a wait lasts until its end, whatever signals arrive, or until the descriptor is ready") {
  const fd quiet(::eventfd(0, EFD_CLOEXEC));
  const fd readable(::eventfd(1, EFD_CLOEXEC));
  const am_test::signal_storm outside;
  const auto end = clock_type::now() + std::chrono::milliseconds(50);
  CHECK_FALSE(wait_ready(quiet.get(), POLLIN, end));
  CHECK(clock_type::now() >= end);
  CHECK(wait_ready(readable.get(), POLLIN, clock_type::now() + std::chrono::hours(1)));
}

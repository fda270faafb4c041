// wait, wait_for, poll and flush: their guarantees, and that a predicate may throw.
#include "../support/suite.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

thread_local unsigned handled = 0;
void on_request(am::request_token) { ++handled; }

CASE("wait_for is again(time) after its time, and not before") {
  auto& ep = job.ep();
  const auto start = steady::now();
  EXPECT_EQ(ep.wait_for([] { return false; }, 20ms), am::status(AM_AGAIN_TIME));
  EXPECT(steady::now() - start >= 20ms);
  EXPECT_EQ(ep.wait_for([] { return false; }, 0ns), am::status(AM_AGAIN_TIME));
  EXPECT_EQ(ep.wait_for([] { return false; }, -1s), am::status(AM_AGAIN_TIME));
  const auto never = [](void*) { return 0; };
  EXPECT_EQ(am_ep_wait_for(ep.raw(), never, nullptr, INT64_MIN), AM_AGAIN_TIME);
}

CASE("repeated waiting for no time makes progress") {
  auto& ep = job.ep();
  const unsigned before = handled;
  ep.job_fence();
  ep.request<on_request>(job.next());
  const auto until = steady::now() + 60s;
  while (!ep.wait_for([&] { return handled == before + 1; }, 0ns) && steady::now() < until) {
  }
  EXPECT_EQ(handled, before + 1);
  ep.job_fence();
}

CASE("a predicate that is true already needs no time") {
  auto& ep = job.ep();
  ep.wait([] { return true; });
  EXPECT(ep.wait_for([] { return true; }, 0ns).ok());
  EXPECT(ep.wait_for([] { return true; }, 1h).ok());
}

CASE("the longest possible time does not end at once") {
  unsigned checks = 0;
  EXPECT(job.ep().wait_for([&] { return ++checks == 100; }, std::chrono::nanoseconds::max()).ok());
}

CASE("wait and wait_for run handlers until the predicate is true") {
  auto& ep = job.ep();
  const unsigned before = handled;
  ep.job_fence();
  ep.request<on_request>(job.next());
  ep.wait([&] { return handled == before + 1; });
  ep.job_fence();
  ep.request<on_request>(job.next());
  EXPECT(ep.wait_for([&] { return handled == before + 2; }, 1h).ok());
  ep.job_fence();
}

CASE("an exception of a predicate leaves the wait, and the endpoint continues") {
  auto& ep = job.ep();
  const auto thrower = []() -> bool { throw std::runtime_error("from the predicate"); };
  for (const bool timed : {false, true}) {
    std::string caught;
    try {
      if (timed)
        (void)ep.wait_for(thrower, 1h);
      else
        ep.wait(thrower);
    } catch (const std::runtime_error& e) {
      caught = e.what();
    }
    EXPECT_EQ(caught, std::string("from the predicate"));
  }
  const unsigned before = handled;
  ep.job_fence();
  ep.request<on_request>(job.next());
  ep.wait([&] { return handled == before + 1; });
  ep.job_fence();
}

CASE("poll runs at most its budget and returns the number of handlers it ran") {
  auto& ep = job.ep();
  ep.job_fence();
  while (ep.poll() > 0) {
  }
  ep.job_fence();
  const unsigned before = handled;
  // To itself, where no other call can have run them; fewer than any window but the smallest.
  unsigned accepted = 0;
  while (accepted < 10 && ep.try_request<on_request>(job.rank())) ++accepted;
  EXPECT(accepted > 0);
  for (unsigned i = 1; i <= accepted; ++i) {
    EXPECT_EQ(ep.poll(1), 1U);
    EXPECT_EQ(handled, before + i);
  }
  EXPECT_EQ(ep.poll(), 0U);
  ep.job_fence();
}

CASE("wait_any waits until something has run, with a budget of 1 for one message only") {
  auto& ep = job.ep();
  ep.job_fence();
  while (ep.wait_any_for(1ms).ok()) {
  }
  ep.job_fence();
  unsigned before = handled;
  unsigned accepted = 0;
  while (accepted < 10 && ep.try_request<on_request>(job.rank())) ++accepted;
  for (unsigned i = 1; i <= accepted; ++i) {
    EXPECT_EQ(ep.wait_any(1), 1U);
    EXPECT_EQ(handled, before + i);
  }
  const auto start = steady::now();
  EXPECT_EQ(ep.wait_any_for(20ms), am::status(AM_AGAIN_TIME));
  EXPECT(steady::now() - start >= 20ms);
  EXPECT_EQ(ep.wait_any_for(-1s), am::status(AM_AGAIN_TIME));
  before = handled;  // other ranks may leave the fence earlier and send while this one is in it
  ep.job_fence();
  ep.request<on_request>(job.next());
  while (handled == before) ep.wait_any();
  ep.job_fence();
}

CASE("a post wakes wait_any, and its exception leaves it") {
  auto& ep = job.ep();
  ep.job_fence();
  bool ran = false;
  std::thread poster([&] {
    std::this_thread::sleep_for(5ms);
    EXPECT(ep.post([&] { ran = true; }).ok());
  });
  while (!ran) ep.wait_any();
  poster.join();
  EXPECT(ep.post([] { throw std::runtime_error("posted"); }).ok());
  bool thrown = false;
  try {
    for (;;) ep.wait_any();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  EXPECT(thrown);
  ep.job_fence();
}

CASE("flush and fence return, with and without traffic") {
  auto& ep = job.ep();
  ep.flush();
  for (am::rank_id to = 0; to < job.ranks(); ++to) ep.fence(to);
  const unsigned before = handled;
  ep.job_fence();
  for (am::rank_id to = 0; to < job.ranks(); ++to) ep.request<on_request>(to);
  ep.flush();
  for (am::rank_id to = 0; to < job.ranks(); ++to) ep.fence(to);
  ep.wait([&] { return handled == before + job.ranks(); });
  ep.job_fence();
}

CASE("a flushed message arrives though its sender makes no call for a while", .ranks = 2) {
  auto& ep = job.ep();
  const unsigned before = handled;
  ep.job_fence();
  if (job.rank() == 1) {
    ep.request<on_request>(0);
    ep.flush();
    // No call of libam until rank 0 has seen it, or long enough to know that it did not.
    const auto until = steady::now() + 100ms;
    while (steady::now() < until) {
    }
  } else if (job.rank() == 0) {
    ep.wait([&] { return handled == before + 1; });
  }
  ep.job_fence();
}

}  // namespace

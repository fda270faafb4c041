// Waiting for something: polls, and lets others have the core when nothing comes.
#include <libam/base/error.hpp>
#include <libam/core/progress.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace am::detail::core {

// One turn of a wait, which may sleep for `limit`. What was posted may end the endpoint.
progress::came progress::turn(bool posts, unsigned budget, blocked& here, const char* call,
                              std::chrono::nanoseconds limit) {
  const bool posted = posts && posts_.has_some() && run_posted();
  if (posted && !dispatcher_.in_order()) return {0, true};
  const unsigned handlers = deliver(budget);
  if (handlers != 0 || posted) {
    idle_.something_came();
    return {handlers, posted};
  }
  const idle::next next = idle_.nothing_came();
  if (next == idle::next::look) [[likely]]
    return {};
  stalls_.look_around(here, call, nullptr);
  if (next == idle::next::sleep) sleep(limit, -1, posts);
  return {};
}

am_status progress::wait_a_turn(blocked& here, const char* call, const am_rank* peer) noexcept {
  constexpr std::uint64_t polls_to_ask = 1024;
  const bool posts = !inside_;
  const bool posted = posts && posts_.has_some() && run_posted();
  if (posted && !dispatcher_.in_order()) return dispatcher_.refuse(call);
  if (deliver(burst) != 0 || posted) {
    idle_.something_came();
    // Others may go on talking while the one that is waited for does not.
    if (clock_.polls() % polls_to_ask == 0) stalls_.look_around(here, call, peer);
    return AM_OK;
  }
  const idle::next next = idle_.nothing_came();
  if (next == idle::next::look) return AM_OK;
  stalls_.look_around(here, call, peer);
  if (next == idle::next::sleep) sleep(std::chrono::nanoseconds::max(), -1, posts);
  return AM_OK;
}

am_status progress::wait(int (*done)(void*), void* arg) {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("wait");
  const inside_call wait(inside_);
  blocked here(doing());
  while (done(arg) == 0) {
    // What it did may have been a close or a fork, and this the child.
    if (!dispatcher_.in_order()) [[unlikely]]
      return dispatcher_.refuse("wait");
    turn(wait.outermost(), burst, here, "wait", std::chrono::nanoseconds::max());
  }
  return AM_OK;
}

am_status progress::wait_for(int (*done)(void*), void* arg, std::int64_t nanoseconds) {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("wait_for");
  const inside_call wait(inside_);
  blocked here(doing());
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const std::chrono::nanoseconds limit(nanoseconds);
  // At least one turn, so that a wait for no time at all still makes progress.
  for (bool time_is_over = false; done(arg) == 0;) {
    if (!dispatcher_.in_order()) [[unlikely]]
      return dispatcher_.refuse("wait_for");
    if (time_is_over) return AM_AGAIN_TIME;
    const std::chrono::nanoseconds left = limit - (clock::now() - start);
    time_is_over = left.count() <= 0;
    turn(wait.outermost(), burst, here, "wait_for",
         std::max(left, std::chrono::nanoseconds::zero()));
  }
  return AM_OK;
}

am_status progress::wait_any(unsigned budget, std::int64_t nanoseconds, unsigned* ran) {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse("wait_any");
  blocked here(doing());
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  for (std::chrono::nanoseconds left(nanoseconds);;) {
    const auto [handlers, posted] =
        turn(!inside_, budget == 0 ? burst : budget, here, "wait_any", left);
    if (ran != nullptr) *ran = handlers;
    if (posted && !dispatcher_.in_order()) return dispatcher_.refuse("wait_any");
    if (handlers != 0 || posted) return AM_OK;
    if (left.count() == 0) return AM_AGAIN_TIME;
    left = std::max(std::chrono::nanoseconds(nanoseconds) - (clock::now() - start),
                    std::chrono::nanoseconds::zero());
  }
}

am_status progress::may_fence(const char* call) const {
  if (!dispatcher_.in_order()) [[unlikely]]
    return dispatcher_.refuse(call);
  if (!fences_) return AM_OK;
  return base::fail(AM_USAGE_IN_HANDLER,
                    "{} inside a posted function that runs in a fence of all ranks: a rank is in "
                    "one fence at a time; set a flag and act on it after that",
                    call);
}

// It sleeps after a while however this rank waits otherwise, so that it does not keep the late ones
// from running.
am_status progress::fence(meanwhile runs) {
  using namespace std::chrono_literals;
  const bool serve = runs != meanwhile::nothing;
  const bool posts = runs == meanwhile::handlers_and_posts && !inside_;
  seam::boot& job = *in_.job;
  am_status status = job.start_fence();
  if (status != AM_OK) return status;
  const inside_call here_alone(fences_);
  constexpr unsigned patience = 200;
  blocked here(doing());
  for (unsigned turns = 0;; ++turns) {
    status = job.fence_done();
    if (status != AM_AGAIN_CONNECTING) return status;
    const bool posted = posts && posts_.has_some() && run_posted();
    // It cannot have closed, but abandoned, or be the child of a fork.
    if (posted && !dispatcher_.in_order()) return dispatcher_.refuse("a fence of all ranks");
    if ((serve && deliver(burst) != 0) || posted) {
      turns = 0;
      idle_.something_came();
    }
    if (turns > patience) stalls_.look_around(here, "a fence of all ranks", nullptr);
    if (turns <= patience)
      std::this_thread::yield();
    else if (serve && idle_.ever_sleeps())
      sleep(std::chrono::nanoseconds::max(), job.fence_descriptor(), posts);
    else
      sleeper_.sleep(serve ? 50us : 100ms, job.fence_descriptor());
  }
}

}  // namespace am::detail::core

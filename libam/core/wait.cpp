// Waits: polls, and yields the core or sleeps when nothing comes.
#include <libam/base/error.hpp>
#include <libam/core/host_clocks.hpp>
#include <libam/core/progress.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace am::detail::core {

// One round of a wait: polls, and may sleep for `limit`. A posted function may end the endpoint.
progress::poll_outcome progress::poll_or_idle(bool posts, unsigned budget, wait_scope& here,
                                              const char* call, std::chrono::nanoseconds limit) {
  const bool posted = posts && posts_.has_pending() && run_posted();
  if (posted && !dispatcher_.may_call()) return {0, true};
  const unsigned handlers = deliver(budget);
  if (handlers != 0 || posted) {
    idle_.on_progress();
    return {handlers, posted};
  }
  here.note_idle(call);
  const idle_policy::action next = idle_.on_empty_poll();
  if (next == idle_policy::action::poll_again) [[likely]]
    return {};
  stalls_.check_stalls(here, call, nullptr);
  if (posts) refresh_clocks();
  if (next == idle_policy::action::sleep) sleep(limit, -1, posts);
  return {};
}

// Where the program's functions may run, which send as this does. No handler runs in it, so a sleep
// may follow.
void progress::refresh_clocks() noexcept {
  if (transports_.clocks() != nullptr) transports_.clocks()->refresh();
}

am_status progress::wait_step(wait_scope& here, const char* call, const am_rank* peer) noexcept {
  const bool posts = !posts_held_;
  const bool posted = posts && posts_.has_pending() && run_posted();
  if (posted && !dispatcher_.may_call()) return dispatcher_.refuse(call);
  if (deliver(default_budget) != 0 || posted) {
    idle_.on_progress();
    // Other ranks may go on sending while the one that is waited for does not.
    if (clock_.polls() % idle_policy::polls_per_stall_check == 0)
      stalls_.check_stalls(here, call, peer);
    return AM_OK;
  }
  here.note_idle(call);
  const idle_policy::action next = idle_.on_empty_poll();
  if (next == idle_policy::action::poll_again) return AM_OK;
  stalls_.check_stalls(here, call, peer);
  if (posts) refresh_clocks();
  if (next == idle_policy::action::sleep) sleep(std::chrono::nanoseconds::max(), -1, posts);
  return AM_OK;
}

am_status progress::wait(int (*done)(void*), void* arg) {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("wait");
  const nesting_scope wait(posts_held_);
  wait_scope here(current_wait());
  while (done(arg) == 0) {
    // done() may have closed the endpoint, or forked, and this is the child.
    if (!dispatcher_.may_call()) [[unlikely]]
      return dispatcher_.refuse("wait");
    poll_or_idle(wait.outermost(), default_budget, here, "wait", std::chrono::nanoseconds::max());
  }
  return AM_OK;
}

am_status progress::wait_for(int (*done)(void*), void* arg, std::int64_t ns) {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("wait_for");
  const nesting_scope wait(posts_held_);
  wait_scope here(current_wait());
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const std::chrono::nanoseconds limit(ns);
  // At least one round, so that a wait for no time at all still makes progress.
  for (bool time_is_over = false; done(arg) == 0;) {
    if (!dispatcher_.may_call()) [[unlikely]]
      return dispatcher_.refuse("wait_for");
    if (time_is_over) return AM_AGAIN_TIME;
    const std::chrono::nanoseconds left = limit - (clock::now() - start);
    time_is_over = left.count() <= 0;
    poll_or_idle(wait.outermost(), default_budget, here, "wait_for",
                 std::max(left, std::chrono::nanoseconds::zero()));
  }
  return AM_OK;
}

am_status progress::wait_any(unsigned budget, std::int64_t ns, unsigned* ran) {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse("wait_any");
  wait_scope here(current_wait());
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  for (std::chrono::nanoseconds left(ns);;) {
    const auto [handlers, posted] =
        poll_or_idle(!posts_held_, budget == 0 ? default_budget : budget, here, "wait_any", left);
    if (ran != nullptr) *ran = handlers;
    if (posted && !dispatcher_.may_call()) return dispatcher_.refuse("wait_any");
    if (handlers != 0 || posted) return AM_OK;
    if (left.count() == 0) return AM_AGAIN_TIME;
    left = std::max(std::chrono::nanoseconds(ns) - (clock::now() - start),
                    std::chrono::nanoseconds::zero());
  }
}

am_status progress::check_fence_allowed(const char* call) const {
  if (!dispatcher_.may_call()) [[unlikely]]
    return dispatcher_.refuse(call);
  if (!in_fence_) return AM_OK;
  return base::fail(AM_USAGE_IN_HANDLER,
                    "{} inside a posted function that runs in a fence of all ranks: a rank is in "
                    "one fence at a time; set a flag and act on it after that",
                    call);
}

// Sleeps after a while whatever AM_WAIT is, so that it does not take the CPU from late ranks.
am_status progress::fence(fence_work runs) {
  using namespace std::chrono_literals;
  const bool serve = runs != fence_work::nothing;
  const bool posts = runs == fence_work::handlers_and_posts && !posts_held_;
  seam::boot& job = *membership_.job;
  const computation_break no_program(current_wait());
  am_status status = job.start_fence();
  if (status != AM_OK) return status;
  const nesting_scope only_fence(in_fence_);
  constexpr unsigned rounds_before_sleep = 200;
  wait_scope here(current_wait());
  for (unsigned idle_rounds = 0;; ++idle_rounds) {
    status = job.fence_done();
    if (status != AM_AGAIN_CONNECTING) return status;
    const bool posted = posts && posts_.has_pending() && run_posted();
    // The function cannot have closed the endpoint, but may have abandoned it or forked.
    if (posted && !dispatcher_.may_call()) return dispatcher_.refuse("a fence of all ranks");
    if ((serve && deliver(default_budget) != 0) || posted) {
      idle_rounds = 0;
      idle_.on_progress();
    }
    here.note_idle("a fence of all ranks");
    if (idle_rounds > rounds_before_sleep)
      stalls_.check_stalls(here, "a fence of all ranks", nullptr);
    if (idle_rounds <= rounds_before_sleep)
      std::this_thread::yield();
    else if (serve && idle_.may_sleep())
      sleep(std::chrono::nanoseconds::max(), job.fence_descriptor(), posts);
    else
      sleep_for(serve ? 50us : 100ms, job.fence_descriptor());
  }
}

}  // namespace am::detail::core

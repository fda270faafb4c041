// Waiting for something: polls, and lets others have the core when nothing comes.
#include <libam/base/error.hpp>
#include <libam/core/endpoint.hpp>

#include <algorithm>
#include <chrono>

namespace am::detail::core {

// One turn of a wait, which may sleep for `limit`.
void endpoint::turn(const inside_call& wait, blocked& here, const char* call,
                    std::chrono::nanoseconds limit) {
  const bool ran = wait.outermost() && posts_.has_some() && run_posted();
  if (ran && !in_order()) return;  // it was a close
  if (deliver(burst) != 0 || ran) return idle_.something_came();
  const idle::next next = idle_.nothing_came();
  if (next == idle::next::look) [[likely]]
    return;
  look_around(here, call, nullptr);
  if (next == idle::next::sleep) sleep(limit, -1, wait.outermost());
}

am_status endpoint::wait(int (*done)(void*), void* arg) {
  if (!in_order()) [[unlikely]]
    return refuse("wait");
  const inside_call wait(inside_);
  blocked here(shown_.doing);
  while (done(arg) == 0) {
    // What it did may have been a close or a fork, and this the child.
    if (!in_order()) [[unlikely]]
      return refuse("wait");
    turn(wait, here, "wait", std::chrono::nanoseconds::max());
  }
  return AM_OK;
}

am_status endpoint::wait_for(int (*done)(void*), void* arg, std::int64_t nanoseconds) {
  if (!in_order()) [[unlikely]]
    return refuse("wait_for");
  const inside_call wait(inside_);
  blocked here(shown_.doing);
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const std::chrono::nanoseconds limit(nanoseconds);
  // At least one turn, so that a wait for no time at all still makes progress.
  for (bool time_is_over = false; done(arg) == 0;) {
    if (!in_order()) [[unlikely]]
      return refuse("wait_for");
    if (time_is_over) return AM_AGAIN_TIME;
    const std::chrono::nanoseconds left = limit - (clock::now() - start);
    time_is_over = left.count() <= 0;
    turn(wait, here, "wait_for", std::max(left, std::chrono::nanoseconds::zero()));
  }
  return AM_OK;
}

am_status endpoint::flush() {
  if (!in_order()) [[unlikely]]
    return refuse("flush");
  blocked here(shown_.doing);
  while (!bulk_.pending.waited_for().empty()) wait_a_turn(here, "flush");
  for (const way& w : ways_) {
    if (w.transport == nullptr) continue;
    am_status status;
    while ((status = w.transport->flush()) == AM_AGAIN_CONNECTING) wait_a_turn(here, "flush");
    if (status != AM_OK) return status;
  }
  return AM_OK;
}

// Small and medium requests keep their order by themselves; only bulk data has to be waited for,
// where a store does not do that itself.
am_status endpoint::fence(am_rank rank) {
  if (!in_order()) [[unlikely]]
    return refuse("fence");
  if (rank >= ranks_)
    return base::fail(AM_ARGUMENT_RANK, "a fence to rank {}: this job has ranks 0 to {}", rank,
                      ranks_ - 1);
  for (blocked here(shown_.doing); bulk_.pending.stores(rank) != 0;)
    wait_a_turn(here, "fence", &rank);
  return is_dead(rank) ? refuse_dead(rank) : AM_OK;
}

am_status endpoint::job_fence() {
  if (!in_order()) [[unlikely]]
    return refuse("job_fence");
  return fence_and_wait(true);
}

}  // namespace am::detail::core

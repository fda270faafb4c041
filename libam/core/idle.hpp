// What a waiting rank does after a poll that found nothing: looks again, lets others have the core,
// or sleeps. The waiting policy is a parameter: poll itself never sleeps.
#pragma once

#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace am::detail::core {

class idle {
 public:
  // With more ranks than CPUs a spinning rank would keep the one that it waits for from running.
  idle(base::wait_mode mode, bool ranks_exceed_cpus) noexcept
      : yields_(mode == base::wait_mode::yield),
        sleeps_(mode == base::wait_mode::block || mode == base::wait_mode::automatic),
        spins_(mode == base::wait_mode::automatic && !ranks_exceed_cpus) {}

  [[nodiscard]] bool ever_sleeps() const noexcept { return sleeps_; }

  void something_came() noexcept {
    looks_ = 0;
    nap_ = first_nap;
  }

  // What it is time for.
  enum class next { look, ask_why, sleep };
  [[nodiscard]] next nothing_came() noexcept {
    base::relax();
    if (++looks_ % looks_to_think != 0) [[likely]]
      return next::look;
    return think();
  }

  // The most that a rank sleeps before it looks around by itself. Nothing that comes needs this,
  // but what a rank waits for may depend on something else, on the time for one.
  [[nodiscard]] std::chrono::nanoseconds next_nap() noexcept {
    const auto nap = nap_;
    nap_ = std::min(2 * nap_, longest_nap);
    return nap;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr unsigned looks_to_think = 32;
  static constexpr unsigned looks_to_ask = 1024;  // where this rank never sleeps
  // So often a rank that does not spin offers the core to others before it sleeps. Messages gather
  // meanwhile; with a sleep for each message the kernel would switch for each.
  static constexpr unsigned offers = 4;
  // About what it costs to sleep and to be woken (docs/waiting.md): who spins as long as that
  // before sleeping loses at most twice what the better of the two would have.
  static constexpr std::chrono::microseconds spin_time{50};
  static constexpr std::chrono::nanoseconds first_nap = std::chrono::milliseconds(1);
  static constexpr std::chrono::nanoseconds longest_nap = std::chrono::milliseconds(100);

  next think() noexcept {
    const next go_on = looks_ % looks_to_ask == 0 ? next::ask_why : next::look;
    if (yields_) sched_yield();
    if (!sleeps_) return go_on;
    if (spins_) return has_spun_enough() ? next::sleep : go_on;
    if (looks_ > offers * looks_to_think) return next::sleep;
    sched_yield();
    return go_on;
  }

  bool has_spun_enough() noexcept {
    if (looks_ == looks_to_think) since_ = clock::now();
    return clock::now() - since_ >= spin_time;
  }

  const bool yields_;
  const bool sleeps_;
  const bool spins_;
  unsigned looks_ = 0;
  std::chrono::nanoseconds nap_ = first_nap;
  clock::time_point since_{};
};

}  // namespace am::detail::core

// What a waiting rank does after a poll that found nothing: polls again, yields the core, or
// sleeps. The waiting policy is a parameter: poll itself never sleeps.
#pragma once

#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace am::detail::core {

class idle_policy {
 public:
  // With more ranks and threads than CPUs a spinning rank would take the CPU from what it waits
  // for.
  idle_policy(base::wait_mode mode, bool exceeds_cpus) noexcept
      : yields_(mode == base::wait_mode::yield),
        sleeps_(mode == base::wait_mode::block || mode == base::wait_mode::automatic),
        spins_(mode == base::wait_mode::automatic && !exceeds_cpus) {}

  static constexpr unsigned polls_per_stall_check = 1024;  // of a rank that does not sleep now

  [[nodiscard]] bool may_sleep() const noexcept { return sleeps_; }
  // For how long a rank that spins does so before it sleeps.
  [[nodiscard]] std::chrono::nanoseconds spin_time() const noexcept {
    return std::min<std::chrono::nanoseconds>(longest_spin_time,
                                              first_spin_time() * (1U << spin_doublings_));
  }
  // Without a profile it is this, in us: about what it costs here to sleep and to be woken
  // (docs/waiting.md). A rank that spins for this long before it sleeps loses at most twice what
  // the better choice would have cost.
  static constexpr std::uint8_t default_spin_us = 50;
  static constexpr std::chrono::microseconds longest_spin_time{400};
  // At least 1.
  void set_first_spin(std::uint8_t us) noexcept { spin_us_ = us; }

  void on_progress() noexcept {
    empty_polls_ = 0;
    sleep_doublings_ = 0;
  }

  // What to do next.
  enum class action { poll_again, check_stall, sleep };
  [[nodiscard]] action on_empty_poll() noexcept {
    base::cpu_relax();
    if (++empty_polls_ % polls_per_decision != 0) [[likely]]
      return action::poll_again;
    return choose_action();
  }

  // The longest sleep before the next poll. No message needs this limit, but the condition that a
  // rank waits for may depend on something else, such as the time.
  [[nodiscard]] std::chrono::nanoseconds next_sleep_limit() noexcept {
    const auto limit = first_sleep_limit * (1U << sleep_doublings_);
    if (limit >= longest_sleep_limit) return longest_sleep_limit;
    ++sleep_doublings_;
    return limit;
  }

  // A sleep that could have taken `allowed` was over after `slept`. Where messages come soon after
  // a rank has fallen asleep it spins for longer the next time, up to a limit, as idle guests of
  // KVM do (haltpoll); where they come later it does not.
  void on_wake(std::chrono::nanoseconds slept, std::chrono::nanoseconds allowed) noexcept {
    if (slept >= longest_spin_time)
      spin_doublings_ = 0;
    else if (slept < allowed && spin_time() < longest_spin_time)
      ++spin_doublings_;
  }

 private:
  using clock = std::chrono::steady_clock;
  static constexpr unsigned polls_per_decision = 32;
  // How often a rank that does not spin yields the core before it sleeps. Messages gather
  // meanwhile; with a sleep for each message the kernel would switch for each.
  static constexpr unsigned yields_before_sleep = 4;
  static constexpr std::chrono::nanoseconds first_sleep_limit = std::chrono::milliseconds(1);
  static constexpr std::chrono::nanoseconds longest_sleep_limit = std::chrono::milliseconds(100);

  [[nodiscard]] std::chrono::microseconds first_spin_time() const noexcept {
    return std::chrono::microseconds(spin_us_);
  }

  action choose_action() noexcept {
    const action go_on =
        empty_polls_ % polls_per_stall_check == 0 ? action::check_stall : action::poll_again;
    if (yields_) sched_yield();
    if (!sleeps_) return go_on;
    if (spins_) return spin_time_is_over() ? action::sleep : go_on;
    if (empty_polls_ > yields_before_sleep * polls_per_decision) return action::sleep;
    sched_yield();
    return go_on;
  }

  bool spin_time_is_over() noexcept {
    if (empty_polls_ == polls_per_decision) since_ = clock::now();
    return clock::now() - since_ >= spin_time();
  }

  const bool yields_;
  const bool sleeps_;
  const bool spins_;
  // Of the first times; counts take less room in an endpoint that has left.
  std::uint8_t sleep_doublings_ = 0;
  std::uint8_t spin_doublings_ = 0;
  std::uint8_t spin_us_ = default_spin_us;
  unsigned empty_polls_ = 0;
  clock::time_point since_{};
};

}  // namespace am::detail::core

// Progress of one rank: a poll delivers what has come (poll.cpp); calls wait (wait.cpp), sleep
// (sleep.cpp), and run posted functions (post.cpp).
#pragma once

#include <libam/core/failures.hpp>
#include <libam/core/idle_policy.hpp>
#include <libam/core/nesting_scope.hpp>
#include <libam/core/post_queue.hpp>
#include <libam/core/sleeper.hpp>
#include <libam/core/stall.hpp>

#include <chrono>

namespace am::detail::core {

class progress {
 public:
  progress(membership& membership, dispatcher& dispatcher, transport_set& transports,
           poll_clock& clock, failures& deaths, bulk& bulk, stall_detector& stalls,
           idle_policy policy);

  // ---- poll.cpp ----
  am_status poll(unsigned budget, unsigned* ran);
  // Returns how many handlers have run.
  unsigned deliver(unsigned budget) noexcept;
  static constexpr unsigned default_budget = 64;  // a poll's budget when the caller names none

  // ---- wait.cpp ----
  am_status wait(int (*done)(void*), void* arg);
  am_status wait_for(int (*done)(void*), void* arg, std::int64_t nanoseconds);
  // Until something has run: at most `budget` messages (0: default_budget), or a posted function.
  am_status wait_any(unsigned budget, std::int64_t nanoseconds, unsigned* ran);
  // One step of a call that waits. Not AM_OK: a posted function has ended the endpoint, which the
  // caller must not touch any more.
  [[nodiscard]] am_status wait_step(wait_scope& here, const char* call,
                                    const am_rank* peer = nullptr) noexcept;
  // No posted function runs in the caller's steps as long as this lives.
  [[nodiscard]] nesting_scope hold_posts() noexcept { return nesting_scope(posts_held_); }
  // What calls that wait expose and trace.
  [[nodiscard]] wait_place& current_wait() noexcept { return stalls_.current_wait(); }
  [[nodiscard]] idle_policy& idle() noexcept { return idle_; }
  // Waits for all ranks, and does that work meanwhile.
  enum class fence_work { nothing, handlers, handlers_and_posts };
  am_status fence(fence_work runs);
  // Before a call that includes a fence: this rank is in one fence at a time.
  am_status check_fence_allowed(const char* call) const;

  // ---- sleep.cpp ----
  am_status open();
  am_status arm(bool* armed);
  [[nodiscard]] int descriptor() const noexcept { return sleeper_.descriptor(); }

  // ---- post.cpp ----
  am_status post(void (*fn)(void* arg), void* arg);
  // Runs one function alone, so that one which throws in C++ ends the call that ran it, and so that
  // posts do not delay messages. True: one has run.
  bool run_posted();
  void close_posts(am_status why) noexcept { posts_.close(why); }
  void on_fork() noexcept { posts_.on_fork(); }
  void leave() noexcept;

  [[nodiscard]] const std::uint64_t& full_polls() const noexcept { return full_polls_; }

 private:
  struct poll_outcome {
    unsigned handlers;
    bool posted;
  };
  poll_outcome poll_or_idle(bool posts, unsigned budget, wait_scope& here, const char* call,
                            std::chrono::nanoseconds limit);
  void refresh_clocks() noexcept;
  std::chrono::nanoseconds prepare_sleep(bool for_posts) noexcept;
  void end_sleep() noexcept;
  void sleep(std::chrono::nanoseconds limit, int extra_descriptor, bool for_posts) noexcept;
  void sleep_for(std::chrono::nanoseconds allowed, int extra_descriptor) noexcept;

  membership& membership_;
  dispatcher& dispatcher_;
  transport_set& transports_;
  poll_clock& clock_;
  failures& failures_;
  bulk& bulk_;
  stall_detector& stalls_;
  idle_policy idle_;
  std::size_t next_transport_ = 0;  // the one that the next poll begins with
  std::uint64_t full_polls_ = 0;    // polls that delivered something
  sleeper sleeper_;
  post_queue posts_{sleeper_};
  bool posts_held_ = false;  // in a wait, a posted function, or a call that holds these back
  bool in_fence_ = false;
};

}  // namespace am::detail::core

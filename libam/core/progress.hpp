// Progress of one rank: a poll delivers what has come (poll.cpp); calls wait (wait.cpp), sleep
// (sleep.cpp), and run what was posted (post.cpp).
#pragma once

#include <libam/core/failures.hpp>
#include <libam/core/idle.hpp>
#include <libam/core/inside_call.hpp>
#include <libam/core/post_box.hpp>
#include <libam/core/sleeper.hpp>
#include <libam/core/stall.hpp>

#include <chrono>

namespace am::detail::core {

class progress {
 public:
  progress(membership& in, dispatcher& messages, transport_set& transports, poll_clock& clock,
           failures& deaths, bulk& data, stall_watch& stalls, idle policy);

  // ---- poll.cpp ----
  am_status poll(unsigned budget, unsigned* ran);
  // Says how many handlers have run.
  unsigned deliver(unsigned budget) noexcept;
  static constexpr unsigned burst = 64;  // a poll's budget when the caller names none

  // ---- wait.cpp ----
  am_status wait(int (*done)(void*), void* arg);
  am_status wait_for(int (*done)(void*), void* arg, std::int64_t nanoseconds);
  // Until something has run: at most `budget` messages (0: a burst), or a posted function.
  am_status wait_any(unsigned budget, std::int64_t nanoseconds, unsigned* ran);
  // One turn of a call that is blocked. Not AM_OK: a posted function has ended the endpoint, of
  // which the caller touches nothing any more.
  [[nodiscard]] am_status wait_a_turn(blocked& here, const char* call,
                                      const am_rank* peer = nullptr) noexcept;
  // No posted function runs in the caller's turns as long as this lives.
  [[nodiscard]] inside_call hold_posts() noexcept { return inside_call(inside_); }
  // What such a call shows.
  [[nodiscard]] occupation& doing() noexcept { return stalls_.doing(); }
  // Meets everyone, and does so much meanwhile.
  enum class meanwhile { nothing, handlers, handlers_and_posts };
  am_status fence(meanwhile runs);
  // Before a call that has a fence in it: this rank is in one fence at a time.
  am_status may_fence(const char* call) const;

  // ---- sleep.cpp ----
  am_status open();
  am_status arm(bool* armed);
  [[nodiscard]] int descriptor() const noexcept { return sleeper_.descriptor(); }

  // ---- post.cpp ----
  am_status post(void (*fn)(void* arg), void* arg);
  // One function, so that one which throws in C++ ends the call that ran it, and so that posts keep
  // no messages waiting. True: one has run.
  bool run_posted();
  void shut_posts(am_status why) noexcept { posts_.shut(why); }
  void forked() noexcept { posts_.forked(); }
  void leave() noexcept;

  [[nodiscard]] const std::uint64_t& full_polls() const noexcept { return full_polls_; }

 private:
  struct came {
    unsigned handlers;
    bool posted;
  };
  came turn(bool posts, unsigned budget, blocked& here, const char* call,
            std::chrono::nanoseconds limit);
  std::chrono::nanoseconds fall_asleep(bool for_posts) noexcept;
  void wake_up() noexcept;
  void sleep(std::chrono::nanoseconds limit, int also, bool for_posts) noexcept;

  membership& in_;
  dispatcher& dispatcher_;
  transport_set& transports_;
  poll_clock& clock_;
  failures& failures_;
  bulk& bulk_;
  stall_watch& stalls_;
  idle idle_;
  std::size_t turn_ = 0;          // which transport comes first
  std::uint64_t full_polls_ = 0;  // that delivered something
  sleeper sleeper_;
  post_box posts_{sleeper_};
  bool inside_ = false;  // a wait, a posted function, or a call that holds these
  bool fences_ = false;  // in a fence
};

}  // namespace am::detail::core

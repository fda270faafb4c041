// When to poll where a poll is expensive: the longer nothing has come, the more seldom. The rank
// may be busy with another transport then, and if its polls follow each other quickly, not even the
// clock is read at each of them.
#pragma once

#include <algorithm>
#include <chrono>

namespace am::detail::packed {

class poll_backoff {
 public:
  using clock = std::chrono::steady_clock;

  // Should this poll read the clock?
  [[nodiscard]] bool should_read_clock() noexcept {
    return ++polls_since_clock_read_ >= polls_per_clock_read_;
  }
  // Is it time to poll? Called whenever the clock was read, for this or another reason.
  [[nodiscard]] bool due(clock::time_point now) noexcept {
    polls_since_clock_read_ = 0;
    polls_per_clock_read_ = now - last_clock_read_ < quick_poll_gap
                                ? std::min(2 * polls_per_clock_read_, max_polls_without_clock)
                                : 1;
    last_clock_read_ = now;
    return now >= next_poll_;
  }
  void record_poll(clock::time_point now) noexcept {
    next_poll_ = now + std::clamp<clock::duration>((now - last_activity_) / polls_per_silence,
                                                   min_poll_interval, max_poll_interval);
  }
  // Something has come, or could be sent again.
  void record_activity(clock::time_point now) noexcept { last_activity_ = now; }
  // The next poll is due at once.
  void poll_next_time() noexcept {
    polls_per_clock_read_ = 1;
    next_poll_ = {};
  }

 private:
  static constexpr std::chrono::microseconds max_poll_interval{100};
  static constexpr std::chrono::microseconds min_poll_interval{4};
  static constexpr int polls_per_silence = 16;
  static constexpr std::chrono::microseconds quick_poll_gap{20};
  static constexpr unsigned max_polls_without_clock = 16;

  clock::time_point next_poll_{};
  clock::time_point last_activity_{};
  clock::time_point last_clock_read_{};
  unsigned polls_per_clock_read_ = 1;
  unsigned polls_since_clock_read_ = 0;
};

}  // namespace am::detail::packed

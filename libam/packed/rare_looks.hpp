// When to look where a look is dear: the longer nothing has come there, the more seldom. The rank
// may be busy with another transport then, and not even the clock is read at every poll, if polls
// follow each other quickly.
#pragma once

#include <algorithm>
#include <chrono>

namespace am::detail::packed {

class rare_looks {
 public:
  using clock = std::chrono::steady_clock;

  // Is this poll one that reads the clock?
  [[nodiscard]] bool reads_clock() noexcept { return ++polls_unread_ >= polls_a_reading_; }
  // At such a poll, and at any that reads it for another reason.
  [[nodiscard]] bool due(clock::time_point now) noexcept {
    polls_unread_ = 0;
    polls_a_reading_ =
        now - last_reading_ < quick_polls ? std::min(2 * polls_a_reading_, most_polls_unread) : 1;
    last_reading_ = now;
    return now >= next_look_;
  }
  void looked(clock::time_point now) noexcept {
    next_look_ = now + std::clamp<clock::duration>((now - last_spoken_) / looks_a_silence,
                                                   look_at_most_every, look_at_least_every);
  }
  // Something has come, or could be sent again.
  void spoke(clock::time_point now) noexcept { last_spoken_ = now; }
  // The next poll looks.
  void look_next() noexcept {
    polls_a_reading_ = 1;
    next_look_ = {};
  }

 private:
  static constexpr std::chrono::microseconds look_at_least_every{100};
  static constexpr std::chrono::microseconds look_at_most_every{4};
  static constexpr int looks_a_silence = 16;
  static constexpr std::chrono::microseconds quick_polls{20};
  static constexpr unsigned most_polls_unread = 16;

  clock::time_point next_look_{};
  clock::time_point last_spoken_{};
  clock::time_point last_reading_{};
  unsigned polls_a_reading_ = 1;
  unsigned polls_unread_ = 0;
};

}  // namespace am::detail::packed

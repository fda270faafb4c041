// Counts polls, and notes credits that have come since the last one without a message or an event:
// others may wait for these and have checked before, so this rank does not sleep before the next
// poll.
#pragma once

#include <cstdint>

namespace am::detail::core {

class poll_clock {
 public:
  void count_poll() noexcept { ++polls_; }
  void note_unannounced() noexcept { noted_at_ = polls_; }
  [[nodiscard]] bool has_unannounced() const noexcept { return noted_at_ == polls_; }
  [[nodiscard]] const std::uint64_t& polls() const noexcept { return polls_; }

 private:
  std::uint64_t polls_ = 0;
  std::uint64_t noted_at_ = ~std::uint64_t{0};
};

}  // namespace am::detail::core

// When a poll polls UCX: always while there is traffic, else the more seldom the longer nothing has
// come.
#pragma once

#include <libam/packed/poll_backoff.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace am::detail::ucx {

class poll_schedule {
 public:
  using clock = std::chrono::steady_clock;

  // Something has come, or has been sent: more is likely to follow soon.
  void note_traffic() noexcept { busy_polls_ = busy_polls_after_traffic; }
  // The next poll polls UCX, so that a rank that was woken finds what is there.
  void poll_next_time() noexcept { busy_polls_ = std::max(busy_polls_, 1U); }
  // While a transfer is under way every poll polls UCX.
  void begin_transfer() noexcept { ++transfers_; }
  void end_transfer() noexcept { --transfers_; }

  // Does this poll poll UCX? `has_work`: there is other work to do.
  [[nodiscard]] bool is_due(bool has_work) noexcept {
    if (busy_polls_ != 0) {
      if (--busy_polls_ == 0) backoff_.record_activity(clock::now());
      return true;
    }
    if (transfers_ != 0 || has_work) return true;
    if (!backoff_.should_read_clock()) return false;
    const clock::time_point now = clock::now();
    if (!backoff_.due(now)) return false;
    backoff_.record_poll(now);
    return true;
  }

 private:
  // Polls that poll UCX without reading the clock.
  static constexpr unsigned busy_polls_after_traffic = 2000;

  packed::poll_backoff backoff_;
  unsigned busy_polls_ = 0;  // how many of them are left
  std::size_t transfers_ = 0;
};

}  // namespace am::detail::ucx

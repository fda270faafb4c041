// When a poll asks UCX what there is: at once while somebody is likely to speak, else the more
// seldom the longer nothing has come.
#pragma once

#include <libam/packed/rare_looks.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace am::detail::ucx {

class looks {
 public:
  using clock = std::chrono::steady_clock;

  // Something has come, or has been sent: who speaks, speaks again soon.
  void have_a_talk() noexcept { lively_polls_ = polls_of_a_talk; }
  // Whoever is told that something is there finds it.
  void look_next() noexcept { lively_polls_ = std::max(lively_polls_, 1U); }
  // As long as one is under way every poll is a look.
  void begin_transfer() noexcept { ++transfers_; }
  void end_transfer() noexcept { --transfers_; }

  // Is this poll a look? `has_work`: there is something to do beside.
  [[nodiscard]] bool is_due(bool has_work) noexcept {
    if (lively_polls_ != 0) {
      if (--lively_polls_ == 0) pace_.spoke(clock::now());
      return true;
    }
    if (transfers_ != 0 || has_work) return true;
    if (!pace_.reads_clock()) return false;
    const clock::time_point now = clock::now();
    if (!pace_.due(now)) return false;
    pace_.looked(now);
    return true;
  }

 private:
  // So many polls look without asking the clock.
  static constexpr unsigned polls_of_a_talk = 2000;

  packed::rare_looks pace_;
  unsigned lively_polls_ = 0;  // so many more look at once
  std::size_t transfers_ = 0;
};

}  // namespace am::detail::ucx

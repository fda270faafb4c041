// What lies between two messages of one end by themselves, where the dialled gap is added to it:
// the median of the last times.
#pragma once

#include <transports/dial/recent_median.hpp>

namespace am::detail::dial {

class own_gap {
 public:
  // Otherwise it is 0, and is not measured.
  explicit own_gap(bool wanted) noexcept : wanted_(wanted) {}

  [[nodiscard]] bool is_wanted() const noexcept { return wanted_; }
  // 0: too few are known, of which one may have been disturbed.
  [[nodiscard]] ticks value() const noexcept { return last_.is_settled() ? last_.value() : 0; }

  // The end was busy for so long with a message, without handlers and dialled overheads.
  void learn(ticks busy) noexcept {
    constexpr unsigned one_of = 17;  // of messages that alternate both kinds
    if (!last_.is_settled() || ++messages_ % one_of == 0) last_.add(busy);
  }

 private:
  const bool wanted_;
  unsigned messages_ = 0;
  recent_median last_;
};

}  // namespace am::detail::dial

// Whether a dialled gap has ever kept a message waiting. One that is shorter than what messages
// take by themselves has not.
#pragma once

#include <libam/base/log.hpp>
#include <transports/dial/spinner.hpp>

#include <cstdint>

namespace am::detail::dial {

class gap_use {
 public:
  // `name`: of the dial.
  gap_use(const char* name, ticks gap) noexcept : name_(name), gap_(gap) {}

  void count(bool waits) noexcept {
    ++messages_;
    has_waited_ = has_waited_ || waits;
  }

  // Few messages say nothing of a gap. A program that sends rarely is told the same.
  void say_if_unused(const spinner& clock) const noexcept {
    constexpr std::uint64_t many = 1000;
    if (gap_ == 0 || has_waited_ || messages_ < many) return;
    base::log(base::log_level::warn,
              "AM_DIAL: {}={:.0f}ns has changed nothing: none of {} messages came so soon behind "
              "another",
              name_, clock.ns(gap_), messages_);
  }

 private:
  const char* name_;
  ticks gap_;
  std::uint64_t messages_ = 0;
  bool has_waited_ = false;
};

}  // namespace am::detail::dial

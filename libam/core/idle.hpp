// What a waiting rank does between two polls that found nothing. The waiting policy is a parameter:
// poll itself never sleeps.
#pragma once

#include <libam/base/cache_line.hpp>
#include <libam/base/settings.hpp>

#include <sched.h>

namespace am::detail::core {

class idle {
 public:
  // With more ranks than CPUs a spinning rank would keep the one that it waits for from running.
  idle(base::wait_mode mode, bool ranks_exceed_cpus) noexcept
      : yields_(mode == base::wait_mode::yield ||
                (mode == base::wait_mode::automatic && ranks_exceed_cpus)) {}

  void nothing_came() noexcept {
    base::relax();
    if (yields_ && ++empty_ >= looks_before_yield) {
      empty_ = 0;
      sched_yield();
    }
  }

 private:
  static constexpr unsigned looks_before_yield = 32;

  bool yields_;
  unsigned empty_ = 0;
};

}  // namespace am::detail::core

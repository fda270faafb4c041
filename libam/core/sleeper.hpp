// What an endpoint sleeps on: one epoll descriptor over all that may wake it, which a foreign event
// loop can watch, too.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>

#include <chrono>

namespace am::detail::core {

class sleeper {
 public:
  am_status open();
  am_status watch(int descriptor);
  [[nodiscard]] int descriptor() const noexcept { return all_.get(); }

  // Sleeps until descriptor() or `extra_descriptor` (-1: none) is readable, at most `limit`.
  void sleep(std::chrono::nanoseconds limit, int extra_descriptor) noexcept;

  // Make descriptor() readable until clear(): now, from any thread; or after a time.
  void wake() noexcept;
  am_status wake_after(std::chrono::nanoseconds time);
  void clear() noexcept;

 private:
  base::fd all_;
  base::fd event_;
  base::fd timer_;  // made at first use
};

}  // namespace am::detail::core

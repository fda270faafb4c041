// What an endpoint sleeps on: one epoll descriptor over all that may wake it, which a foreign event
// loop can watch as well.
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

  // Sleeps until descriptor() or `also` (-1: nothing else) is readable, at most `limit`.
  void sleep(std::chrono::nanoseconds limit, int also) noexcept;

  // Makes descriptor() readable until hush(): now, from any thread; or after a time.
  void ring() noexcept;
  am_status ring_after(std::chrono::nanoseconds time);
  void hush() noexcept;

 private:
  base::fd all_;
  base::fd event_;
  base::fd timer_;  // made when it is needed, which is seldom
};

}  // namespace am::detail::core

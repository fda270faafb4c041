// Interrupts the process by a signal every 100 us; its handler is installed without SA_RESTART.
#pragma once

#include <sys/time.h>

#include <atomic>
#include <csignal>

namespace am_test {

class signal_storm {
 public:
  signal_storm() {
    struct sigaction count {};
    count.sa_handler = [](int) { ++caught; };
    ::sigaction(SIGALRM, &count, &before_);
    caught = 0;
    set_interval(100);
  }
  ~signal_storm() {
    set_interval(0);
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  signal_storm(const signal_storm&) = delete;
  signal_storm& operator=(const signal_storm&) = delete;
  [[nodiscard]] unsigned signals() const { return caught; }

 private:
  static void set_interval(int microseconds) {
    const itimerval every{{0, microseconds}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &every, nullptr);
  }
  static inline std::atomic<unsigned> caught{0};
  struct sigaction before_ {};
};

}  // namespace am_test

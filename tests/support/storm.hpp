// A signal every 100 us that interrupts what the process does: its handler is without SA_RESTART.
#pragma once

#include <sys/time.h>

#include <atomic>
#include <csignal>

namespace am_test {

class storm {
 public:
  storm() {
    struct sigaction count {};
    count.sa_handler = [](int) { ++caught; };
    ::sigaction(SIGALRM, &count, &before_);
    caught = 0;
    blow(100);
  }
  ~storm() {
    blow(0);
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  storm(const storm&) = delete;
  storm& operator=(const storm&) = delete;
  [[nodiscard]] unsigned signals() const { return caught; }

 private:
  static void blow(int microseconds) {
    const itimerval every{{0, microseconds}, {0, microseconds}};
    ::setitimer(ITIMER_REAL, &every, nullptr);
  }
  static inline std::atomic<unsigned> caught{0};
  struct sigaction before_ {};
};

}  // namespace am_test

// A thread that receives no signal of the program's, and neither do threads that it starts.
#pragma once

#include <thread>
#include <utility>

#include <pthread.h>
#include <csignal>

namespace am::detail::base {

// std::system_error: there may be no more threads.
template <class Work>
std::thread quiet_thread(Work&& work) {
  // The mask is inherited, so it is this thread's while it starts the other.
  struct all_blocked {
    all_blocked() noexcept {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~all_blocked() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    all_blocked(const all_blocked&) = delete;
    all_blocked& operator=(const all_blocked&) = delete;
    sigset_t before;
  };
  const all_blocked while_it_starts;
  return std::thread(std::forward<Work>(work));
}

}  // namespace am::detail::base

// A thread that handles no signals of the program; neither do threads that it starts.
#pragma once

#include <thread>
#include <utility>

#include <pthread.h>
#include <csignal>

namespace am::detail::base {

// std::system_error: there may be no more threads.
template <class Work>
std::thread start_signal_masked_thread(Work&& work) {
  // A thread inherits the mask of the one that starts it.
  struct all_signals_blocked {
    all_signals_blocked() noexcept {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~all_signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    all_signals_blocked(const all_signals_blocked&) = delete;
    all_signals_blocked& operator=(const all_signals_blocked&) = delete;
    sigset_t before;
  };
  const all_signals_blocked start_guard;
  return std::thread(std::forward<Work>(work));
}

}  // namespace am::detail::base

// The wait for the last output of ranks.
#pragma once

#include <chrono>
#include <functional>

namespace am::detail::run {

// Returns when it has come. `may_come`: it waits for its reader, or comes from other hosts, which
// are watched; that may take any time. A writer here that could not be killed may not. `wait`
// handles events for a moment.
inline void wait_for_last_output(const std::function<bool()>& has_come,
                                 const std::function<bool()>& may_come,
                                 const std::function<void()>& wait) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds deadline{1};
  auto silent_since = clock::now();
  while (!has_come() && clock::now() - silent_since <= deadline) {
    wait();
    if (may_come()) silent_since = clock::now();
  }
}

}  // namespace am::detail::run

// Makes of a wait's `done` the function and pointer that am_ep_wait takes, and rethrows what it
// throws. Included by am.hpp alone.
#pragma once

#include <am/detail/post.hpp>
#include <am/detail/status.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <type_traits>

namespace am::detail {

// A time of any unit and number, which need not fit into 64 bits of nanoseconds.
template <class Rep, class Period>
std::int64_t nanoseconds_of(std::chrono::duration<Rep, Period> time) noexcept {
  using exact = std::chrono::duration<long double, std::nano>;
  const long double ns = std::chrono::duration_cast<exact>(time).count();
  if (!(ns > 0)) return 0;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return ns < static_cast<long double>(most) ? static_cast<std::int64_t>(ns) : most;
}

// After a call that may throw what a posted function has thrown.
inline void check_or_rethrow(am_status status) {
  rethrow_posted_exception();
  check(status);
}

template <class Predicate>
struct wait_predicate {
  std::remove_reference_t<Predicate>* done;
  std::exception_ptr thrown;

  void rethrow() const {
    if (thrown) std::rethrow_exception(thrown);
    rethrow_posted_exception();
  }
  static int is_done(void* self) {
    if (posted_exception != nullptr) return 1;
    auto* w = static_cast<wait_predicate*>(self);
    try {
      return (*w->done)() ? 1 : 0;
    } catch (...) {
      w->thrown = std::current_exception();
      return 1;
    }
  }
};

}  // namespace am::detail

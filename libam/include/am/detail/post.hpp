// Posted functions: makes of any callable the function and pointer that am_ep_post takes, and
// rethrows what it throws.
#pragma once

#include <am/am.h>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace am::detail {

// What a posted function has thrown in this thread, until a call that may throw it. A call that has
// sent something, or returns a result, does not: it has succeeded. A plain pointer, because every
// poll reads it.
inline constinit thread_local std::exception_ptr* posted_exception = nullptr;

inline void discard_posted_exception() noexcept { delete std::exchange(posted_exception, nullptr); }

inline void rethrow_posted_exception() {
  if (posted_exception == nullptr) [[likely]]
    return;
  const std::unique_ptr<std::exception_ptr> thrown(std::exchange(posted_exception, nullptr));
  std::rethrow_exception(*thrown);
}

template <class Function>
void run_posted(void* arg) {
  const std::unique_ptr<Function> f(static_cast<Function*>(arg));
  try {
    (*f)();
  } catch (...) {
    if (posted_exception == nullptr)
      posted_exception = new std::exception_ptr(std::current_exception());
  }
}

template <class Given>
am_status post(am_ep* ep, Given&& given) {
  using function = std::decay_t<Given>;
  auto f = std::make_unique<function>(std::forward<Given>(given));
  const am_status status = am_ep_post(ep, &run_posted<function>, f.get());
  if (status == am_status{}) (void)f.release();
  return status;
}

}  // namespace am::detail

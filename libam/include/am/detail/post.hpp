// Posted functions: any callable as the function and pointer that am_ep_post takes, and the way out
// for what it throws.
#pragma once

#include <am/am.h>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace am::detail {

// What a posted function has thrown in this thread, until a call that may throw it. One that has
// sent something, or has a result, does not: it has done what it was called for. A plain pointer,
// because every poll asks for it.
inline constinit thread_local std::exception_ptr* thrown_by_posted = nullptr;

inline void forget_posted() noexcept { delete std::exchange(thrown_by_posted, nullptr); }

inline void rethrow_posted() {
  if (thrown_by_posted == nullptr) [[likely]]
    return;
  const std::unique_ptr<std::exception_ptr> thrown(std::exchange(thrown_by_posted, nullptr));
  std::rethrow_exception(*thrown);
}

template <class Function>
void run_posted(void* arg) {
  const std::unique_ptr<Function> f(static_cast<Function*>(arg));
  try {
    (*f)();
  } catch (...) {
    if (thrown_by_posted == nullptr)
      thrown_by_posted = new std::exception_ptr(std::current_exception());
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

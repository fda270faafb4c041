// A scope that knows whether it is inside another one of its kind. One kind holds posted functions
// back: a wait, a posted function that runs, a call that is half done. The other is a fence.
#pragma once

#include <utility>

namespace am::detail::core {

class nesting_scope {
 public:
  // `inside`: the endpoint is in a scope of this kind.
  explicit nesting_scope(bool& inside) noexcept
      : inside_(inside), outermost_(!std::exchange(inside, true)) {}
  ~nesting_scope() {
    if (outermost_) inside_ = false;
  }
  nesting_scope(const nesting_scope&) = delete;
  nesting_scope& operator=(const nesting_scope&) = delete;
  [[nodiscard]] bool outermost() const noexcept { return outermost_; }

 private:
  bool& inside_;
  const bool outermost_;
};

}  // namespace am::detail::core

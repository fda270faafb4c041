// A scope that knows whether it is inside another one: a wait, a posted function that runs, or a
// call that is half done, inside which nothing runs posted functions; and a fence.
#pragma once

#include <utility>

namespace am::detail::core {

class inside_call {
 public:
  // `inside`: the endpoint is in one of its kind.
  explicit inside_call(bool& inside) noexcept
      : inside_(inside), outermost_(!std::exchange(inside, true)) {}
  ~inside_call() {
    if (outermost_) inside_ = false;
  }
  inside_call(const inside_call&) = delete;
  inside_call& operator=(const inside_call&) = delete;
  [[nodiscard]] bool outermost() const noexcept { return outermost_; }

 private:
  bool& inside_;
  const bool outermost_;
};

}  // namespace am::detail::core

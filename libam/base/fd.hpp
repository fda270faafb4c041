// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace am::detail::base {

class fd {
 public:
  fd() noexcept = default;
  explicit fd(int number) noexcept : number_(number) {}
  fd(fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  fd& operator=(fd&& other) noexcept {
    fd taken(std::move(other));  // and what this one held closes with `taken`
    std::swap(number_, taken.number_);
    return *this;
  }
  ~fd() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] bool valid() const noexcept { return number_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace am::detail::base

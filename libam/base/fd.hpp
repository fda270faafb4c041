// A file descriptor that closes itself, and that is none of the standard streams.
#pragma once

#include <unistd.h>

#include <utility>

namespace am::detail::base {

// The kernel gives the lowest number that is free. In a program that has closed a standard stream
// that is the stream's, and what the program prints would go into a socket or the job's memory. So
// every descriptor that libam makes or receives is owned by one of these
// (tests/lint/descriptors.py), and those below 3 get another number.
class fd {
 public:
  fd() noexcept = default;
  // Takes the descriptor. Invalid, with errno, if there is no other number for it.
  explicit fd(int number) noexcept
      : number_(number >= 0 && number <= STDERR_FILENO ? moved_up(number) : number) {}
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
  static int moved_up(int number) noexcept;

  int number_ = -1;
};

}  // namespace am::detail::base

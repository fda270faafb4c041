// A file descriptor that closes itself, and that is not that of a standard stream.
#pragma once

#include <unistd.h>

#include <chrono>
#include <utility>
#include <vector>

namespace am::detail::base {

// The kernel gives the lowest free number. In a program that has closed a standard stream that is
// the stream's, and what the program prints would go into a socket or the job's memory. So every
// descriptor that libam makes or receives is owned by an fd (tests/lint/descriptors.py), and those
// below 3 get another number.
class fd {
 public:
  fd() noexcept = default;
  // Owns the descriptor. Invalid, with errno, if it needs another number and there is none.
  explicit fd(int number) noexcept
      : number_(number >= 0 && number <= STDERR_FILENO ? dup_above_stderr(number) : number) {}
  fd(fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  fd& operator=(fd&& other) noexcept {
    fd taken(std::move(other));  // closes the old descriptor at the end
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
  static int dup_above_stderr(int number) noexcept;

  int number_ = -1;
};

// poll() without waiting, again if a signal has interrupted it: those of `events` that the
// descriptor has, or POLLERR, POLLHUP, POLLNVAL; 0: none.
short ready_now(int descriptor, short events) noexcept;

// Waits until the descriptor has one of `events`, whatever signals arrive. False: not by `end`, or
// poll() has failed.
bool wait_ready(int descriptor, short events, std::chrono::steady_clock::time_point end) noexcept;

// The milliseconds until `end`, for poll(): rounded up; 0 if `end` is past.
int milliseconds_until(std::chrono::steady_clock::time_point end) noexcept;

// A program that this process executes will not have it.
void set_close_on_exec(int descriptor) noexcept;

// The open descriptors of this process; none if the system does not list them.
std::vector<int> open_descriptors();

}  // namespace am::detail::base

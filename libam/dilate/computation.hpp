// What a rank computes between calls of the library, and the spin that makes it take `factor` times
// as long (AM_DILATE). To the program its network then seems so much faster. What the library does
// is not stretched, nor is a wait, except for the program's handlers in it.
//
// One thread at a time uses it: the one that owns the endpoint.
#pragma once

#include <libam/dilate/stretch_timer.hpp>

#include <utility>

namespace am::detail::dilate {

template <class Clocks>
class computation_by {
 public:
  explicit computation_by(double factor) noexcept : more_(factor - 1) {}
  computation_by(const computation_by&) = delete;
  computation_by& operator=(const computation_by&) = delete;

  // The program calls the library; a call may lie in another one, and a call that waits is one. In
  // the beginning the program is in one, which is its join.
  void enter_library() noexcept {
    if (depth_++ == 0) stretch();
  }
  void leave_library() noexcept {
    if (--depth_ == 0) timer_.start();
  }

  // What the program has computed until now, stretched.
  ns total() noexcept {
    if (depth_ != 0) return total_;
    stretch();
    timer_.start();
    return total_;
  }

  // A function of the program runs, in a call of the library or by itself. Returns what it
  // interrupts.
  unsigned begin_handler() noexcept {
    if (depth_ == 0) stretch();
    timer_.start();
    return std::exchange(depth_, 0U);
  }
  void end_handler(unsigned interrupted) noexcept {
    stretch();
    depth_ = interrupted;
    if (depth_ == 0) timer_.start();
  }

 private:
  void stretch() noexcept {
    const ns took = timer_.stop();
    const auto more = static_cast<ns>(more_ * static_cast<double>(took));
    spin(more);
    total_ += took + more;
  }
  // The thread's own time counts: where it loses its processor it spins on behind that.
  void spin(ns time) noexcept {
    for (ns left = time; left > 0; left -= timer_.stop()) {
      const ns until = timer_.start() + left;
      while (Clocks::now() < until) {
      }
    }
  }

  const double more_;
  stretch_timer<Clocks> timer_;
  ns total_ = 0;
  unsigned depth_ = 1;  // of calls of the library; 0: the program computes
};

using computation = computation_by<system_clocks>;

// A call of the library.
class library_call {
 public:
  explicit library_call(computation& of) noexcept : of_(of) { of_.enter_library(); }
  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;
  ~library_call() { of_.leave_library(); }

 private:
  computation& of_;
};

}  // namespace am::detail::dilate

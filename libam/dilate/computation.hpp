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

  // The program has called the library, or its handler returns to it.
  void end() noexcept {
    if (!computes_) return;
    computes_ = false;
    const ns took = timer_.stop();
    const auto more = static_cast<ns>(more_ * static_cast<double>(took));
    spin(more);
    total_ += took + more;
  }
  // The library returns to the program, unless a call of it waits.
  void begin() noexcept {
    if (waits_ != 0) return;
    computes_ = true;
    timer_.start();
  }

  // What the program has computed until now, stretched.
  ns total() noexcept {
    if (!computes_) return total_;
    end();
    computes_ = true;
    timer_.start();
    return total_;
  }

  // A call waits: what lies between its polls is the library's.
  void begin_wait() noexcept {
    end();
    ++waits_;
  }
  void end_wait() noexcept {
    --waits_;
    begin();
  }

  // The state that a handler interrupts.
  struct interrupted {
    bool computes;
    unsigned waits;
  };
  interrupted begin_handler() noexcept {
    const interrupted by{computes_, std::exchange(waits_, 0U)};
    end();
    begin();
    return by;
  }
  void end_handler(const interrupted& by) noexcept {
    end();
    waits_ = by.waits;
    if (by.computes) begin();
  }

 private:
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
  bool computes_ = false;
  unsigned waits_ = 0;  // calls that wait
};

using computation = computation_by<system_clocks>;

// A call of the library.
class library_call {
 public:
  explicit library_call(computation& of) noexcept : of_(of) { of_.end(); }
  library_call(const library_call&) = delete;
  library_call& operator=(const library_call&) = delete;
  ~library_call() { of_.begin(); }

 private:
  computation& of_;
};

}  // namespace am::detail::dilate

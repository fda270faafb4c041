// How long a thread itself ran in a stretch of its time. A short stretch is timed by the clock, as
// the thread hardly loses its processor in it; from a long one the time without a processor is
// taken, which the thread's own clock tells: that is a system call, and takes up to a microsecond.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace am::detail::dilate {

using ns = std::int64_t;

// Tests have other clocks.
struct system_clocks {
  static ns now() noexcept { return time_of(CLOCK_MONOTONIC); }
  static ns thread_time() noexcept { return time_of(CLOCK_THREAD_CPUTIME_ID); }
  static pthread_t thread() noexcept { return ::pthread_self(); }

 private:
  static ns time_of(clockid_t which) noexcept {
    timespec at{};
    ::clock_gettime(which, &at);
    return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
  }
};

template <class Clocks>
class stretch_timer {
 public:
  static constexpr ns long_stretch = 100'000;

  stretch_timer() noexcept : reading_(measure_reading()) { read_absence(Clocks::now()); }

  // A stretch begins, at the time returned. The thread may have lost its processor for short times
  // since it was last looked at.
  ns start() noexcept {
    started_ = Clocks::now();
    if (started_ - read_at_ < long_stretch && thread_ == Clocks::thread()) [[likely]]
      return started_;
    thread_ = Clocks::thread();
    read_absence(started_);
    return started_ = Clocks::now();
  }

  // It ends. Of one that another thread has begun nothing is known.
  ns stop() noexcept {
    const ns stopped = Clocks::now();
    if (thread_ != Clocks::thread()) [[unlikely]]
      return 0;
    const ns whole = std::max<ns>(stopped - started_ - reading_, 0);
    if (whole < long_stretch) [[likely]]
      return whole;
    const ns before = absence_;
    read_absence(stopped);
    return std::clamp<ns>(whole - (absence_ - before), 0, whole);
  }

 private:
  // What a stretch of nothing takes by the clock.
  static ns measure_reading() noexcept {
    constexpr int tries = 1000;
    ns least = long_stretch;
    for (int i = 0; i < tries; ++i) {
      const ns before = Clocks::now();
      least = std::min(least, Clocks::now() - before);
    }
    return least;
  }
  void read_absence(ns at) noexcept {
    absence_ = at - Clocks::thread_time();
    read_at_ = at;
  }

  const ns reading_;
  ns started_ = 0;
  ns absence_ = 0;  // all the time that this thread has had no processor, but for a constant
  ns read_at_ = 0;  // when that was read
  pthread_t thread_ = Clocks::thread();
};

}  // namespace am::detail::dilate

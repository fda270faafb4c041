#include <libam/core/sleeper.hpp>

#include <libam/base/error.hpp>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace am::detail::core {

namespace {

timespec as_timespec(std::chrono::nanoseconds time) noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  return {time.count() / second, time.count() % second};
}

am_status no_descriptor(const char* call) {
  return base::fail(AM_RESOURCE_DESCRIPTORS, "no descriptor for sleeping: {}: {}", call,
                    base::errno_text(errno));
}

}  // namespace

am_status sleeper::open() {
  all_ = base::fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!all_.valid()) return no_descriptor("epoll_create1");
  event_ = base::fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event_.valid()) return no_descriptor("eventfd");
  return watch(event_.get());
}

am_status sleeper::watch(int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  return ::epoll_ctl(all_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0
             ? AM_OK
             : no_descriptor("epoll_ctl");
}

void sleeper::sleep(std::chrono::nanoseconds limit, int extra_descriptor) noexcept {
  pollfd wakes[] = {{all_.get(), POLLIN, 0}, {extra_descriptor, POLLIN, 0}};
  const timespec time = as_timespec(limit);
  (void)::ppoll(wakes, 2, &time, nullptr);
}

void sleeper::wake() noexcept {
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

am_status sleeper::wake_after(std::chrono::nanoseconds time) {
  if (!timer_.valid()) {
    timer_ = base::fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer_.valid()) return no_descriptor("timerfd_create");
    if (const am_status status = watch(timer_.get()); status != AM_OK) return status;
  }
  const itimerspec once{{}, as_timespec(time)};
  return ::timerfd_settime(timer_.get(), 0, &once, nullptr) == 0 ? AM_OK
                                                                 : no_descriptor("timerfd_settime");
}

void sleeper::clear() noexcept {
  std::uint64_t times = 0;
  (void)!::read(event_.get(), &times, sizeof times);
  if (timer_.valid()) (void)!::read(timer_.get(), &times, sizeof times);
}

}  // namespace am::detail::core

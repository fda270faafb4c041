// epoll, level-triggered.
#include <libam/tools/am-run/event_loop.hpp>

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace am::detail::run {

event_loop::event_loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_.valid()) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

bool event_loop::watch(int fd, std::uint32_t events, std::function<void()> callback) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    if (errno == EPERM) return false;
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
  watchers_[fd] = std::make_shared<std::function<void()>>(std::move(callback));
  return true;
}

void event_loop::change(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void event_loop::forget(int fd) {
  if (watchers_.erase(fd) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void event_loop::turn(int milliseconds) {
  std::array<epoll_event, 64> ready;
  const int count =
      ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), milliseconds);
  for (int i = 0; i < count; ++i) {
    const auto found = watchers_.find(ready[static_cast<std::size_t>(i)].data.fd);
    if (found == watchers_.end()) continue;  // forgotten by a callback of this turn
    const auto keep = found->second;
    (*keep)();
  }
}

}  // namespace am::detail::run

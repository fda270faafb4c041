// epoll, level-triggered.
#include <libam/tools/am-run/streams/event_loop.hpp>

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace am::detail::run {

namespace {

// An event has the serial of its watcher, because the descriptor's number may be in use again.
epoll_event event_of(int fd, std::uint32_t serial, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = std::uint64_t{serial} << 32 | static_cast<std::uint32_t>(fd);
  return event;
}

}  // namespace

event_loop::event_loop() : epoll_(base::fd(::epoll_create1(EPOLL_CLOEXEC))) {
  if (!epoll_.valid()) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

bool event_loop::watch(int fd, std::uint32_t events, std::function<void()> callback) {
  const std::uint32_t serial = ++last_serial_;
  epoll_event event = event_of(fd, serial, events);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    if (errno == EPERM) return false;
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  }
  watchers_[fd] = std::make_shared<const watcher>(watcher{serial, std::move(callback)});
  return true;
}

void event_loop::change(int fd, std::uint32_t events) {
  const auto found = watchers_.find(fd);
  if (found == watchers_.end()) return;
  epoll_event event = event_of(fd, found->second->serial, events);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void event_loop::unwatch(int fd) {
  if (watchers_.erase(fd) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void event_loop::run_once(int milliseconds) {
  std::array<epoll_event, 64> ready;
  const int count =
      ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), milliseconds);
  for (int i = 0; i < count; ++i) {
    const std::uint64_t name = ready[static_cast<std::size_t>(i)].data.u64;
    const auto found = watchers_.find(static_cast<int>(name & 0xffffffffU));
    // A callback of this call may have removed it, and watched another descriptor of this number.
    if (found == watchers_.end() || found->second->serial != name >> 32) continue;
    const auto keep = found->second;
    keep->callback();
  }
}

}  // namespace am::detail::run

// Which sockets have something, in one epoll descriptor that may itself be slept on.
#pragma once

#include <libam/base/fd.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <span>

namespace am::detail::tcp {

// What a socket is there for; visitors have a number, the others a rank.
enum class watched : std::uint32_t { listener, visitor, call, channel };

struct sign {
  watched what;
  std::uint32_t number;
  bool readable;  // or broken, which reading tells
  bool writable;
};

class watcher {
 public:
  explicit watcher(base::fd epoll) noexcept : epoll_(std::move(epoll)) {}

  [[nodiscard]] int descriptor() const noexcept { return epoll_.get(); }

  // From now on, also if it was watched as something else. False with errno: there is no memory
  // for it.
  bool watch(int socket, watched what, std::uint32_t number, bool for_writing) noexcept {
    epoll_event event{};
    event.events = (what == watched::call && for_writing ? 0U : static_cast<unsigned>(EPOLLIN)) |
                   (for_writing ? static_cast<unsigned>(EPOLLOUT) : 0U);
    event.data.u64 = static_cast<std::uint64_t>(what) << 32 | number;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket, &event) == 0 ||
           ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) == 0;
  }

  void forget(int socket) noexcept {
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
  }
  // For good, also if a forked child has a copy of it: by itself the system would neither forget it
  // nor tell the other end.
  void close(base::fd socket) noexcept {
    if (!socket.valid()) return;
    forget(socket.get());
    (void)::shutdown(socket.get(), SHUT_RDWR);
  }

  // Some of those that have something now.
  template <class Tell>
  void look(Tell&& tell) noexcept {
    const int count =
        ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), 0);
    for (int i = 0; i < count; ++i) {
      const epoll_event& one = events_[static_cast<std::size_t>(i)];
      tell(sign{static_cast<watched>(one.data.u64 >> 32), static_cast<std::uint32_t>(one.data.u64),
                (one.events & ~static_cast<unsigned>(EPOLLOUT)) != 0,
                (one.events & EPOLLOUT) != 0});
    }
  }
  [[nodiscard]] bool has_something() noexcept {
    return ::epoll_wait(epoll_.get(), events_.data(), 1, 0) > 0;
  }

 private:
  base::fd epoll_;
  std::array<epoll_event, 64> events_{};
};

}  // namespace am::detail::tcp

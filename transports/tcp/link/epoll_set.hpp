// The sockets of a rank in one epoll set, whose descriptor may itself be slept on.
#pragma once

#include <libam/base/fd.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <span>

namespace am::detail::tcp {

// What a socket is used for. Listeners and incoming connections have a number, the others a rank.
enum class socket_kind : std::uint32_t { listener, incoming, outgoing, channel };

struct socket_event {
  socket_kind what;
  std::uint32_t number;
  bool readable;  // or broken, which a read reports
  bool writable;
};

class epoll_set {
 public:
  explicit epoll_set(base::fd epoll) noexcept : epoll_(std::move(epoll)) {}

  [[nodiscard]] int descriptor() const noexcept { return epoll_.get(); }

  // A socket that is watched already gets the new kind and number. False with errno: there is no
  // memory for it.
  bool watch(int socket, socket_kind what, std::uint32_t number, bool for_writing) noexcept {
    epoll_event event{};
    event.events =
        (what == socket_kind::outgoing && for_writing ? 0U : static_cast<unsigned>(EPOLLIN)) |
        (for_writing ? static_cast<unsigned>(EPOLLOUT) : 0U);
    event.data.u64 = static_cast<std::uint64_t>(what) << 32 | number;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket, &event) == 0 ||
           ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event) == 0;
  }

  void unwatch(int socket) noexcept {
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
  }
  // Closes the connection also if a forked child has a copy of the socket: the system alone would
  // neither remove it from the set nor notify the other end.
  void close(base::fd socket) noexcept {
    if (!socket.valid()) return;
    unwatch(socket.get());
    (void)::shutdown(socket.get(), SHUT_RDWR);
  }

  // Reports some of the events that there are.
  template <class OnEvent>
  void poll(OnEvent&& on_event) noexcept {
    const int count =
        ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), 0);
    for (int i = 0; i < count; ++i) {
      const epoll_event& one = events_[static_cast<std::size_t>(i)];
      on_event(socket_event{
          static_cast<socket_kind>(one.data.u64 >> 32), static_cast<std::uint32_t>(one.data.u64),
          (one.events & ~static_cast<unsigned>(EPOLLOUT)) != 0, (one.events & EPOLLOUT) != 0});
    }
  }
  [[nodiscard]] bool has_events() noexcept {
    return ::epoll_wait(epoll_.get(), events_.data(), 1, 0) > 0;
  }

 private:
  base::fd epoll_;
  std::array<epoll_event, 64> events_{};
};

}  // namespace am::detail::tcp

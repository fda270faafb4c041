// Join sockets and connections. Nothing here waits: what a socket does not take now is sent later.
#include <libam/tools/am-run/ranks/rank_server.hpp>

#include <libam/base/descriptor_passing.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace am::detail::run {

rank_server::rank_server(event_loop& loop, rank_events& events, const rank_set& ranks,
                         const binding& bindings, std::string folder)
    : loop_(loop),
      events_(events),
      ranks_(ranks),
      binding_(bindings),
      folder_(std::move(folder)),
      states_(ranks.size()) {}

base::fd rank_server::open_join_socket(am_rank rank) {
  int both[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) return {};
  base::fd& own = of(rank).join_socket;
  own = base::fd(both[0]);
  loop_.watch(own.get(), EPOLLIN, [this, rank] { read_join_socket(rank); });
  return base::fd(both[1]);
}

void rank_server::read_pending(am_rank rank) {
  read_connection(rank);
  read_join_socket(rank);
  read_connection(rank);
}

void rank_server::read_join_socket(am_rank rank) {
  rank_state& at = of(rank);
  while (at.join_socket.valid()) {
    std::array<std::byte, 64> hello;
    std::vector<base::fd> passed;
    const long count =
        base::receive_with_descriptors(at.join_socket.get(), hello, passed, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {  // no process has the other end any more
      loop_.unwatch(at.join_socket.get());
      at.join_socket = base::fd();
      return;
    }
    const auto received = seam::bytes_view(hello).first(static_cast<std::size_t>(count));
    read_hello(rank, received, std::move(passed));
  }
}

void rank_server::watch_process(am_rank rank) {
  rank_connection& with = *of(rank).connection;
  with.process = base::fd(static_cast<int>(::syscall(SYS_pidfd_open, of(rank).pid, 0)));
  if (!with.process.valid()) return;
  loop_.watch(with.process.get(), EPOLLIN, [this, rank] {
    read_connection(rank);  // to its end
    on_connection_lost(rank);
  });
}

void rank_server::on_connection_lost(am_rank rank) {
  if (!of(rank).connection) return;
  close_connection(rank);
  events_.on_lost(rank);
}

void rank_server::read_connection(am_rank rank) {
  rank_state& at = of(rank);
  std::array<std::byte, 1U << 16> room;
  // More than a socket holds, so that all that a rank sent before it ended is read; but one that
  // never stops sending must not keep the others waiting.
  constexpr unsigned most_pieces = 1024;
  for (unsigned pieces = 0; at.connection && pieces < most_pieces; ++pieces) {
    rank_connection& with = *at.connection;
    std::vector<base::fd> passed;  // closed unused
    const long count =
        base::receive_with_descriptors(with.socket.get(), room, passed, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    bool good = count > 0;
    if (good) {
      with.reader.feed(seam::bytes_view(room).first(static_cast<std::size_t>(count)));
      // What has been received may end the connection.
      while (good && at.connection) {
        const auto received = with.reader.next();
        if (!received) break;
        good = handle_frame(rank, *received);
      }
      good = good && (!at.connection || !with.reader.broken());
    }
    if (!good) on_connection_lost(rank);
  }
}

void rank_server::close_connection(am_rank rank) {
  rank_state& at = of(rank);
  loop_.unwatch(at.connection->socket.get());
  if (at.connection->process.valid()) loop_.unwatch(at.connection->process.get());
  at.connection.reset();
}

// One copy of the frame serves all.
void rank_server::send_fenced(unsigned epoch, std::shared_ptr<const std::string> frame) {
  for (const am_rank rank : ranks_) {
    if (of(rank).epoch != epoch) continue;
    of(rank).in_fence = false;
    send(rank, frame);
  }
}

void rank_server::send(am_rank rank, std::shared_ptr<const std::string> frame) {
  if (!of(rank).connection) return;
  of(rank).connection->outgoing.push_back(std::move(frame));
  send_more(rank);
}

void rank_server::send_more(am_rank rank) {
  if (!of(rank).connection) return;
  rank_connection& with = *of(rank).connection;
  while (!with.outgoing.empty()) {
    const std::string& frame = *with.outgoing.front();
    const auto rest = std::string_view(frame).substr(with.sent);
    const long count = base::send_with_descriptors(with.socket.get(), rest, {}, MSG_DONTWAIT);
    if (count < 0) break;  // full, or ended: then a read reports that
    with.sent += static_cast<std::size_t>(count);
    if (with.sent < frame.size()) continue;
    with.outgoing.pop_front();
    with.sent = 0;
  }
  loop_.change(with.socket.get(), with.outgoing.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

}  // namespace am::detail::run

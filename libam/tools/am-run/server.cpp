// Join sockets and connections. Nothing here waits: what a socket does not take now is sent later.
#include <libam/base/descriptor_passing.hpp>
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/random.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/base/text.hpp>
#include <libam/base/wakeup.hpp>
#include <libam/tools/am-run/server.hpp>
#include <libam/tools/am-run/verdict.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

namespace am::detail::run {
namespace {

pid_t other_end(int socket) {
  ucred who{};
  socklen_t size = sizeof who;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : -1;
}

std::string text_of(seam::bytes_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

server::server(event_loop& loop, server_listener& listener, am_rank ranks, const binding& bindings,
               std::string folder, std::chrono::seconds stall_timeout)
    : loop_(loop),
      listener_(listener),
      binding_(bindings),
      folder_(std::move(folder)),
      stall_timeout_(stall_timeout),
      ranks_(ranks) {}

base::fd server::open_join_socket(am_rank rank) {
  int both[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, both) != 0) return {};
  ranks_[rank].join_socket = base::fd(both[0]);
  loop_.watch(ranks_[rank].join_socket.get(), EPOLLIN, [this, rank] { read_join_socket(rank); });
  return base::fd(both[1]);
}

void server::read_pending(am_rank rank) {
  read_connection(rank);
  read_join_socket(rank);
  read_connection(rank);
}

bool server::others_joined(am_rank rank) const {
  for (am_rank other = 0; other < ranks_.size(); ++other)
    if (other != rank && is_joined(other)) return true;
  return false;
}

void server::read_join_socket(am_rank rank) {
  rank_state& at = ranks_[rank];
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
    admit(rank, received, std::move(passed));
  }
}

void server::admit(am_rank rank, seam::bytes_view hello, std::vector<base::fd> passed) {
  const auto version = seam::cursor(hello).number();
  if (!version) return;    // no libam sends that
  if (passed.size() != 2)  // nor that: the kernel drops descriptors for which there is no room
    return fail_join(
        base::format("rank {} cannot join: am-run: {}", rank, base::errno_text(EMFILE)),
        std::move(passed));
  const int socket = passed[0].get();
  if (*version != boot::protocol_version)
    return refuse(
        socket,
        base::format("join: this am-run has version {} of the join protocol and the program's "
                     "libam has version {}: use am-run and libam of one build",
                     boot::protocol_version, *version));
  // A leave that was sent before this hello can be read now.
  read_connection(rank);
  rank_state& at = ranks_[rank];
  if (at.connection)
    return refuse(socket,
                  base::format("join: rank {} has already joined as process {}: one process "
                               "of each rank may be in the job at a time",
                               rank, at.pid));
  epoch_state& epoch = epochs_[at.epoch + 1];
  if (!epoch.memory.valid()) {
    if (!base::fill_with_secret(epoch.secret))
      return fail_join(
          base::format("the job has no secret: getrandom: {}", base::errno_text(errno)),
          std::move(passed));
    if (base::shared_memory::create(epoch.memory, folder_) != AM_OK)
      return fail_join(base::format("the job has no memory: {}", base::error_text()),
                       std::move(passed));
    epoch.contributions.resize(ranks_.size());
    epoch.exit_notifications.resize(ranks_.size());
    epoch.dead.resize(ranks_.size());
  }
  // Made here, so that all can wake each other whatever namespaces their programs enter.
  base::fd wakeup;
  if (base::wakeup::create(wakeup) != AM_OK)
    return fail_join(base::format("rank {} cannot join: {}", rank, base::error_text()),
                     std::move(passed));
  std::string body;
  seam::add_number(body, boot::protocol_version);
  seam::add_number(body, rank);
  seam::add_number(body, static_cast<std::uint32_t>(ranks_.size()));
  seam::add_number(body, binding_.cpus);
  seam::add_number(body,
                   rank < binding_.bound_to.size() ? binding_.bound_to[rank] : boot::not_bound);
  body.append(reinterpret_cast<const char*>(epoch.secret.data()), epoch.secret.size());
  const int shared[] = {epoch.memory.get(), wakeup.get()};
  // The socket is fresh, so it takes the few bytes at once.
  if (base::send_with_descriptors(socket, boot::make_frame(boot::frame_kind::welcome, body), shared,
                                  MSG_DONTWAIT) < 0) {
    if (errno == EPIPE) return;  // it has ended meanwhile
    return fail_join(base::format("rank {} cannot join: {}", rank, base::errno_text(errno)),
                     std::move(passed));
  }
  ++at.epoch;
  at.pid = other_end(socket);
  at.connection = std::make_unique<rank_connection>();
  at.connection->socket = std::move(passed[0]);
  at.connection->lifeline = std::move(passed[1]);
  loop_.watch(socket, EPOLLIN, [this, rank] {
    send_more(rank);
    read_connection(rank);
  });
  watch_process(rank);
  listener_.on_joined(rank);
}

void server::watch_process(am_rank rank) {
  rank_connection& with = *ranks_[rank].connection;
  with.process = base::fd(static_cast<int>(::syscall(SYS_pidfd_open, ranks_[rank].pid, 0)));
  if (!with.process.valid()) return;
  loop_.watch(with.process.get(), EPOLLIN, [this, rank] {
    read_connection(rank);  // to its end
    on_connection_lost(rank);
  });
}

void server::on_connection_lost(am_rank rank) {
  if (!ranks_[rank].connection) return;
  close_connection(rank);
  listener_.on_lost(rank);
}

void server::refuse(int socket, std::string line) {
  line.resize(std::min(line.size(), boot::most_line_bytes));
  (void)base::send_with_descriptors(socket, boot::make_frame(boot::frame_kind::refused, line), {},
                                    MSG_DONTWAIT);
}

// One line is enough: the rank is ended before it could print another.
void server::fail_join(std::string line, std::vector<base::fd> passed) {
  std::ranges::move(passed, std::back_inserter(unanswered_hellos_));
  listener_.on_failed(launch_failed, std::move(line));
}

void server::read_connection(am_rank rank) {
  rank_state& at = ranks_[rank];
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

bool server::handle_frame(am_rank rank, const boot::frame& received) {
  switch (received.kind) {
    case boot::frame_kind::fence: return handle_fence(rank, received.body);
    case boot::frame_kind::notify: return handle_notify(rank, received.body);
    case boot::frame_kind::leave:
      record_leave(rank);
      close_connection(rank);
      return true;
    case boot::frame_kind::abort: {
      seam::cursor at(received.body);
      const auto status = at.number();
      if (!status) return false;
      std::string line =
          text_of(at.rest().first(std::min(at.rest().size(), boot::most_line_bytes)));
      base::make_one_line(line);
      close_connection(rank);
      listener_.on_aborted(rank, static_cast<int>(*status), std::move(line));
      return true;
    }
    default: return false;
  }
}

void server::record_leave(am_rank rank) {
  ranks_[rank].completed = ranks_[rank].epoch;
  ++epochs_[ranks_[rank].epoch].left;
  erase_if_complete(ranks_[rank].epoch);
}

void server::erase_if_complete(unsigned number) {
  const epoch_state& epoch = epochs_[number];
  if (epoch.left + epoch.deaths == ranks_.size()) epochs_.erase(number);
}

void server::close_connection(am_rank rank) {
  rank_state& at = ranks_[rank];
  loop_.unwatch(at.connection->socket.get());
  if (at.connection->process.valid()) loop_.unwatch(at.connection->process.get());
  at.connection.reset();
}

void server::send(am_rank rank, std::shared_ptr<const std::string> frame) {
  if (!ranks_[rank].connection) return;
  ranks_[rank].connection->outgoing.push_back(std::move(frame));
  send_more(rank);
}

void server::send_more(am_rank rank) {
  if (!ranks_[rank].connection) return;
  rank_connection& with = *ranks_[rank].connection;
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

#include <transports/tcp/connect/acceptor.hpp>

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>
#include <transports/tcp/connect/rank_address.hpp>

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

// A rank sends each message at once. One that computes may send nothing for a while.
constexpr auto partial_message_timeout = 2s;
constexpr auto silence_timeout = 60s;
// Accepted in one poll, so that many connections, or an attack, do not keep a rank from other work.
constexpr unsigned max_accepts = 32;
constexpr auto accept_pause = 10ms;
// Pending at a time, beside one for each rank. The next one replaces the oldest, so silent ones in
// any number keep no rank out, and all of them together take little of this rank's memory.
constexpr std::size_t max_strangers = 128;
constexpr std::size_t max_pending_bytes = 512;
static_assert(max_strangers * max_pending_bytes <= std::size_t{64} * 1024);

// A port scan may not fill the log.
constexpr unsigned max_refusal_lines = 10;

std::string remote_text(int socket) {
  const auto far = address::remote_of(socket);
  return far ? far->text() : "an unknown address";
}

base::fd accept_at(int listener) noexcept {
  return base::fd(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

base::fd duplicate(int descriptor) noexcept {
  return base::fd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

}  // namespace

acceptor::acceptor(std::vector<base::fd> listeners, epoll_set& sockets, const identity& me,
                   std::uint64_t& refused) noexcept
    : listeners_(std::move(listeners)),
      spare_fd_(duplicate(listeners_.front().get())),
      sockets_(sockets),
      me_(me),
      refused_(refused) {}

std::vector<std::uint32_t> acceptor::accept_connections(std::uint32_t number,
                                                        clock::time_point now) {
  const int listener = listeners_[number].get();
  std::vector<std::uint32_t> accepted;
  for (unsigned i = 0; i < max_accepts; ++i) {
    base::fd socket = accept_at(listener);
    if (socket.valid()) {
      if (add_pending(std::move(socket), now)) accepted.push_back(pending_.back().number);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno == EMFILE || errno == ENFILE) {
      if (!accept_and_close(listener, errno)) pause_accepting(now);
      break;
    } else if (errno == ENOBUFS || errno == ENOMEM) {
      pause_accepting(now);
      break;
    }
  }
  return accepted;
}

// Closes a connection for which there is no descriptor, so that the peer goes on elsewhere or gives
// up; in the backlog it would wait for ever. False: there is no descriptor even for that.
bool acceptor::accept_and_close(int listener, int why) {
  if (!std::exchange(warned_, true))
    base::log(base::log_level::warn, "tcp: no more connections can be accepted: {}",
              base::errno_text(why));
  if (!spare_fd_.valid()) return false;
  spare_fd_ = {};
  sockets_.close(accept_at(listener));
  spare_fd_ = duplicate(listener);
  return true;
}

// Connections in the backlog would keep a rank from sleeping that cannot accept them.
void acceptor::pause_accepting(clock::time_point now) noexcept {
  for (const base::fd& listener : listeners_) sockets_.unwatch(listener.get());
  paused_until_ = now + accept_pause;
}

bool acceptor::add_pending(base::fd socket, clock::time_point now) {
  static_assert(sizeof(pending_connection) + 4 * sizeof(void*) <= max_pending_bytes);
  static_assert(max_strangers >= std::size_t{2} * max_accepts);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::uint32_t number = next_number_++;
  if (!sockets_.watch(socket.get(), socket_kind::incoming, number, false)) return false;
  if (pending_.size() == max_strangers + me_.ranks)
    close_refused(pending_.begin(), "others are pending that may prove themselves sooner");
  std::string from = remote_text(socket.get());
  pending_.push_back({number, now, listener_handshake(std::move(socket), me_), std::move(from)});
  return true;
}

std::list<acceptor::pending_connection>::iterator acceptor::find(std::uint32_t number) noexcept {
  return std::ranges::find(pending_, number, &pending_connection::number);
}

std::optional<am_rank> acceptor::advance(std::uint32_t number) {
  const auto which = find(number);
  if (which == pending_.end()) return std::nullopt;
  switch (which->handshake.advance()) {
    case handshake_state::in_progress: return std::nullopt;
    case handshake_state::failed:
      if (which->handshake.is_closed_by_peer())
        close_ended(which, which->handshake.why());
      else
        close_refused(which, which->handshake.why());
      return std::nullopt;
    case handshake_state::proven: break;
  }
  return which->handshake.peer();
}

std::optional<tcp_link> acceptor::accept(std::uint32_t number) {
  const auto which = find(number);
  std::optional<tcp_link> made;
  if (which->handshake.send_verdict(verdict::welcome)) made = which->handshake.take_link();
  close(which);
  return made;
}

void acceptor::reject(std::uint32_t number, verdict why) {
  const auto which = find(number);
  (void)which->handshake.send_verdict(why);
  close(which);
}

// ---- deadlines ----------------------------------------------------------------------------------

acceptor::clock::time_point acceptor::deadline_of(const pending_connection& one) noexcept {
  return one.accepted_at + (one.handshake.has_partial_message()
                                ? clock::duration(partial_message_timeout)
                                : clock::duration(silence_timeout));
}

void acceptor::check_deadlines(clock::time_point now) {
  for (auto at = pending_.begin(); at != pending_.end();) {
    const auto which = at++;
    if (deadline_of(*which) > now || which->handshake.has_socket_event()) continue;
    if (which->handshake.has_partial_message())
      close_refused(which, "it has not proved its identity within 2 s");
    else
      close_ended(which, "it has not proved its identity within 60 s");
  }
  if (paused_until_ > now) return;
  paused_until_ = clock::time_point::max();
  for (std::uint32_t i = 0; i < listeners_.size(); ++i)
    if (!sockets_.watch(listeners_[i].get(), socket_kind::listener, i, false))
      paused_until_ = now + accept_pause;
  if (!spare_fd_.valid()) spare_fd_ = duplicate(listeners_.front().get());
}

acceptor::clock::time_point acceptor::next_deadline() const noexcept {
  clock::time_point first = paused_until_;
  for (const pending_connection& one : pending_) first = std::min(first, deadline_of(one));
  return first;
}

// A rank that has dropped its attempt or computes, or a port scan.
void acceptor::close_ended(std::list<pending_connection>::iterator which, std::string_view why) {
  base::log(base::log_level::debug, "tcp: a connection from {} has ended: {}", which->from, why);
  close(which);
}

void acceptor::close_refused(std::list<pending_connection>::iterator which, std::string_view why) {
  ++refused_;
  if (refused_ <= max_refusal_lines)
    base::log(base::log_level::warn, "tcp: a connection from {} is refused: {}", which->from, why);
  if (refused_ == max_refusal_lines)
    base::log(base::log_level::warn, "tcp: further refusals are not reported");
  close(which);
}

void acceptor::close(std::list<pending_connection>::iterator which) {
  sockets_.close(which->handshake.take_socket());
  pending_.erase(which);
}

}  // namespace am::detail::tcp

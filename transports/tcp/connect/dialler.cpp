#include <transports/tcp/connect/dialler.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/log.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

constexpr dialler::clock::duration first_retry_delay = 1ms;
constexpr dialler::clock::duration longest_retry_delay = 100ms;
// Where no process, or a stranger, listens for this long, the rank has gone: it listens before
// others know its address. The same time serves where this rank can make no socket.
constexpr auto not_listening_timeout = 2s;
// A peer that closes the connection may have too many pending ones, or no descriptor left.
constexpr auto disconnect_timeout = 60s;
// A rank that computes answers late, and an attempt whose packets were lost may be repeated. Other
// addresses are tried sooner; the system repeats its SYN after 1 s.
constexpr dialler::clock::duration answer_timeout = 60s;
constexpr dialler::clock::duration answer_timeout_of_several = 20s;
constexpr dialler::clock::duration connect_timeout_of_several = 2s;

// The error of an attempt to connect, which this call clears; or 0.
int error_of(int socket) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  (void)::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

void dialler::connect(am_rank peer, std::span<const address> addresses, clock::time_point now) {
  pending_connect made;
  for (const address& where : addresses) made.candidates.push_back({where, {}, failure::none});
  made.retry_delay = first_retry_delay;
  made.last_alive = now;
  start_attempt(peer, pending_.emplace(peer, std::move(made)).first->second, now);
}

void dialler::start_attempt(am_rank peer, pending_connect& pending, clock::time_point now) {
  const address& to = pending.candidates[pending.current].where;
  base::fd socket(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid())
    return fail(pending, base::format("socket: {}", base::errno_text(errno)),
                failure::not_listening, now);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket.get(), to.raw(), to.size()) != 0 && errno != EINPROGRESS)
    return fail(pending, base::errno_text(errno), failure_of(errno), now);
  if (!sockets_.watch(socket.get(), socket_kind::outgoing, peer, true))
    return fail(pending, base::format("epoll_ctl: {}", base::errno_text(errno)),
                failure::not_listening, now);
  pending.attempt.emplace(std::move(socket), me_, peer);
  const clock::duration longest = timeout_;
  pending.next_try =
      now +
      (pending.candidates.size() == 1 ? longest : std::min(longest, connect_timeout_of_several));
}

dialler::failure dialler::failure_of(int error) noexcept {
  return error == ECONNREFUSED ? failure::not_listening : failure::unreachable;
}

// How long an address may fail like that before it is given up.
dialler::clock::duration dialler::give_up_after(const candidate& one) const noexcept {
  switch (one.last_failure) {
    case failure::none: return clock::duration::max();
    case failure::not_listening: return not_listening_timeout;
    case failure::disconnected: return disconnect_timeout;
    case failure::unreachable: return timeout_;
  }
  return {};
}

void dialler::retry_if_due(am_rank peer, pending_connect& pending, clock::time_point now) {
  if (pending.next_try > now) return;
  if (!pending.attempt)
    start_attempt(peer, pending, now);
  else if (pending.attempt->has_socket_event())
    return;
  else if (pending.attempt->is_connecting())
    fail(pending, "no answer", failure::unreachable, now);
  else
    fail(pending, "the process that listens there does not answer", failure::none, now);
}

void dialler::cancel(am_rank peer) {
  const auto found = pending_.find(peer);
  if (found == pending_.end()) return;
  if (found->second.attempt) sockets_.close(found->second.attempt->take_socket());
  pending_.erase(found);
}

// The next address follows at once, the first one again after a delay.
void dialler::fail(pending_connect& pending, std::string why, failure what, clock::time_point now) {
  candidate& failed = pending.candidates[pending.current];
  failed.why = base::format("{}: {}", failed.where.text(), why);
  failed.last_failure = what;
  base::log(base::log_level::debug, "tcp: {}", failed.why);
  if (pending.attempt) sockets_.close(pending.attempt->take_socket());
  pending.attempt.reset();
  if (what == failure::none) pending.last_alive = now;
  // The peer is given up when its most promising address is.
  pending.given_up = std::ranges::all_of(pending.candidates, [&](const candidate& one) {
    return now - pending.last_alive >= give_up_after(one);
  });
  pending.next_try = now;
  if (++pending.current != pending.candidates.size()) return;
  pending.current = 0;
  pending.next_try += pending.retry_delay;
  pending.retry_delay = std::min(2 * pending.retry_delay, longest_retry_delay);
}

std::string dialler::describe_failures(const pending_connect& pending) const {
  std::string all;
  for (const candidate& one : pending.candidates) {
    if (one.why.empty()) continue;
    if (!all.empty()) all += ", ";
    all += one.why;
  }
  if (std::ranges::find(pending.candidates, failure::unreachable, &candidate::last_failure) ==
      pending.candidates.end())
    return all;
  return base::format("{}: given up after {} s (AM_PEER_TIMEOUT)", all, timeout_.count());
}

std::optional<tcp_link> dialler::advance(am_rank peer, clock::time_point now) {
  const auto found = pending_.find(peer);
  if (found == pending_.end() || !found->second.attempt) return {};
  pending_connect& pending = found->second;
  connector_handshake& attempt = *pending.attempt;
  const bool was_connecting = attempt.is_connecting();
  if (const int error = was_connecting ? error_of(attempt.socket()) : 0; error != 0) {
    fail(pending, base::errno_text(error), failure_of(error), now);
    return {};
  }
  switch (attempt.advance()) {
    case handshake_state::in_progress:
      if (!was_connecting || attempt.is_connecting()) return {};
      (void)sockets_.watch(attempt.socket(), socket_kind::outgoing, peer, false);
      pending.next_try =
          now + (pending.candidates.size() == 1 ? answer_timeout : answer_timeout_of_several);
      return {};
    case handshake_state::failed:
      fail(pending, attempt.why(),
           attempt.is_stranger() ? failure::not_listening : failure::disconnected, now);
      return {};
    case handshake_state::proven: break;
  }
  if (attempt.received_verdict() == verdict::lost) {
    fail(pending, "the peer says that the pair has lost its connection", failure::none, now);
    pending.given_up = true;
    return {};
  }
  if (attempt.received_verdict() == verdict::crossed) {
    fail(pending, "the peer makes the connection itself", failure::none, now);
    pending.next_try = now + longest_retry_delay;  // should its connection fail
    return {};
  }
  tcp_link made = attempt.take_link();
  pending_.erase(found);
  return made;
}

dialler::clock::time_point dialler::next_deadline() const noexcept {
  auto first = clock::time_point::max();
  for (const auto& [peer, pending] : pending_) first = std::min(first, pending.next_try);
  return first;
}

}  // namespace am::detail::tcp

#include <libam/base/format.hpp>
#include <libam/base/log.hpp>
#include <libam/base/why.hpp>
#include <transports/tcp/dialler.hpp>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace am::detail::tcp {

namespace {

using namespace std::chrono_literals;

constexpr dialler::clock::duration first_pause = 1ms;
constexpr dialler::clock::duration longest_pause = 100ms;
// Where nobody, or a stranger, listens for so long, the rank has gone: it listens before others
// know its address. No more is here for who can make no socket.
constexpr auto patience_with_nobody = 2s;
// Who hangs up may have a crowd at the door, or no descriptor left.
constexpr auto patience_with_hanging_up = 60s;
// A rank that computes answers late, and a call that has got lost may be made once more. Where
// there are other addresses to try they get their turn sooner; the system asks again after 1 s.
constexpr dialler::clock::duration longest_silence = 60s;
constexpr dialler::clock::duration silence_of_a_turn = 20s;
constexpr dialler::clock::duration turn = 2s;

// The connection that is on its way has failed, which this forgets; or 0.
int error_of(int socket) noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  (void)::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

}  // namespace

void dialler::call(am_rank peer, std::span<const address> addresses, clock::time_point now) {
  one_call made;
  for (const address& where : addresses) made.places.push_back({where, {}, trouble::none});
  made.pause = first_pause;
  made.there = now;
  dial(peer, calls_.emplace(peer, std::move(made)).first->second, now);
}

void dialler::dial(am_rank peer, one_call& call, clock::time_point now) {
  const address& to = call.places[call.at].where;
  base::fd socket(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid())
    return fail(call, base::format("socket: {}", base::why(errno)), trouble::nobody, now);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket.get(), to.raw(), to.size()) != 0 && errno != EINPROGRESS)
    return fail(call, base::why(errno), trouble_of(errno), now);
  if (!sockets_.watch(socket.get(), watched::call, peer, true))
    return fail(call, base::format("epoll_ctl: {}", base::why(errno)), trouble::nobody, now);
  call.attempt.emplace(std::move(socket), me_, peer);
  const clock::duration longest = timeout_;
  call.next_try = now + (call.places.size() == 1 ? longest : std::min(longest, turn));
}

dialler::trouble dialler::trouble_of(int error) noexcept {
  return error == ECONNREFUSED ? trouble::nobody : trouble::unreachable;
}

// How long it is borne that an address fails like that.
dialler::clock::duration dialler::patience_with(const place& one) const noexcept {
  switch (one.last) {
    case trouble::none: return clock::duration::max();
    case trouble::nobody: return patience_with_nobody;
    case trouble::hangs_up: return patience_with_hanging_up;
    case trouble::unreachable: return timeout_;
  }
  return {};
}

void dialler::try_again(am_rank peer, one_call& call, clock::time_point now) {
  if (call.next_try > now) return;
  if (!call.attempt)
    dial(peer, call, now);
  else if (call.attempt->waits_to_be_heard())
    return;
  else if (call.attempt->is_on_its_way())
    fail(call, "no answer", trouble::unreachable, now);
  else
    fail(call, "whoever listens there says nothing", trouble::none, now);
}

void dialler::hang_up(am_rank peer) {
  const auto found = calls_.find(peer);
  if (found == calls_.end()) return;
  if (found->second.attempt) sockets_.close(found->second.attempt->take_socket());
  calls_.erase(found);
}

// The next address at once; after the last one of them a pause.
void dialler::fail(one_call& call, std::string why, trouble what, clock::time_point now) {
  place& failed = call.places[call.at];
  failed.why = base::format("{}: {}", failed.where.text(), why);
  failed.last = what;
  base::log(base::log_level::debug, "tcp: {}", failed.why);
  if (call.attempt) sockets_.close(call.attempt->take_socket());
  call.attempt.reset();
  if (what == trouble::none) call.there = now;
  // The address that gives the most hope decides.
  call.hopeless = std::ranges::all_of(
      call.places, [&](const place& one) { return now - call.there >= patience_with(one); });
  call.next_try = now;
  if (++call.at != call.places.size()) return;
  call.at = 0;
  call.next_try += call.pause;
  call.pause = std::min(2 * call.pause, longest_pause);
}

std::string dialler::reasons(const one_call& call) const {
  std::string all;
  for (const place& one : call.places) {
    if (one.why.empty()) continue;
    if (!all.empty()) all += ", ";
    all += one.why;
  }
  if (std::ranges::find(call.places, trouble::unreachable, &place::last) == call.places.end())
    return all;
  return base::format("{}: given up after {} s (AM_PEER_TIMEOUT)", all, timeout_.count());
}

std::optional<line> dialler::go(am_rank peer, clock::time_point now) {
  const auto found = calls_.find(peer);
  if (found == calls_.end() || !found->second.attempt) return {};
  one_call& call = found->second;
  connector& attempt = *call.attempt;
  const bool was_on_its_way = attempt.is_on_its_way();
  if (const int error = was_on_its_way ? error_of(attempt.socket()) : 0; error != 0) {
    fail(call, base::why(error), trouble_of(error), now);
    return {};
  }
  switch (attempt.go()) {
    case stage::talking:
      if (!was_on_its_way || attempt.is_on_its_way()) return {};
      (void)sockets_.watch(attempt.socket(), watched::call, peer, false);
      call.next_try = now + (call.places.size() == 1 ? longest_silence : silence_of_a_turn);
      return {};
    case stage::failed:
      fail(call, attempt.why(), attempt.is_stranger() ? trouble::nobody : trouble::hangs_up, now);
      return {};
    case stage::proven: break;
  }
  if (attempt.said() == verdict::lost) {
    fail(call, "the peer says that the pair has lost its connection", trouble::none, now);
    call.hopeless = true;
    return {};
  }
  if (attempt.said() == verdict::crossed) {
    fail(call, "the peer connects itself", trouble::none, now);
    call.next_try = now + longest_pause;  // should its connection fail
    return {};
  }
  line made = attempt.take_line();
  calls_.erase(found);
  return made;
}

dialler::clock::time_point dialler::next_deadline() const noexcept {
  auto first = clock::time_point::max();
  for (const auto& [peer, call] : calls_) first = std::min(first, call.next_try);
  return first;
}

}  // namespace am::detail::tcp

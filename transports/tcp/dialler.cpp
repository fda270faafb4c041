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
// know its address.
constexpr auto patience = 2s;
// A rank that computes answers late; whoever has taken the place of one that is gone, never.
constexpr auto patience_with_silence = 60s;

}  // namespace

void dialler::call(am_rank peer, std::vector<address> addresses, clock::time_point now) {
  one_call& made = calls_[peer];
  made.addresses = std::move(addresses);
  made.pause = first_pause;
  dial(peer, made, now);
}

void dialler::dial(am_rank peer, one_call& call, clock::time_point now) {
  const address& to = call.addresses[call.next_address];
  base::fd socket(::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return fail(call, base::format("socket: {}", base::why(errno)), false, now);
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(socket.get(), to.raw(), to.size()) != 0 && errno != EINPROGRESS)
    return fail(call, base::why(errno), errno == ECONNREFUSED, now);
  if (!sockets_.watch(socket.get(), watched::call, peer, true))
    return fail(call, base::format("epoll_ctl: {}", base::why(errno)), false, now);
  call.attempt.emplace(std::move(socket), me_, peer);
  call.next_try = now + patience_with_silence;
}

void dialler::try_again(am_rank peer, one_call& call, clock::time_point now) {
  if (call.next_try > now) return;
  if (call.attempt)
    fail(call, "whoever listens there says nothing", true, now);
  else
    dial(peer, call, now);
}

void dialler::hang_up(am_rank peer) {
  const auto found = calls_.find(peer);
  if (found == calls_.end()) return;
  if (found->second.attempt) sockets_.close(found->second.attempt->take_socket());
  calls_.erase(found);
}

// The next address at once; after the last one of them a pause.
void dialler::fail(one_call& call, std::string why, bool nobody, clock::time_point now) {
  call.why = base::format("{}: {}", call.addresses[call.next_address].text(), why);
  base::log(base::log_level::debug, "tcp: {}", call.why);
  if (call.attempt) sockets_.close(call.attempt->take_socket());
  call.attempt.reset();
  call.next_try = now;
  if (!nobody)
    call.nobody_since = {};
  else if (call.nobody_since == clock::time_point{})
    call.nobody_since = now;
  else if (now - call.nobody_since >= patience)
    call.hopeless = true;
  if (++call.next_address != call.addresses.size()) return;
  call.next_address = 0;
  call.next_try += call.pause;
  call.pause = std::min(2 * call.pause, longest_pause);
}

std::optional<line> dialler::go(am_rank peer, clock::time_point now) {
  const auto found = calls_.find(peer);
  if (found == calls_.end() || !found->second.attempt) return {};
  one_call& call = found->second;
  connector& attempt = *call.attempt;
  const bool was_on_its_way = attempt.is_on_its_way();
  switch (attempt.go()) {
    case stage::talking:
      if (was_on_its_way && !attempt.is_on_its_way())
        (void)sockets_.watch(attempt.socket(), watched::call, peer, false);
      return {};
    case stage::failed:
      fail(call, attempt.why(), attempt.is_on_its_way() || attempt.is_stranger(), now);
      return {};
    case stage::proven: break;
  }
  if (attempt.said() == verdict::lost) {
    fail(call, "the peer says that the pair has lost its connection", false, now);
    call.hopeless = true;
    return {};
  }
  if (attempt.said() == verdict::crossed) {
    fail(call, "the peer connects itself", false, now);
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

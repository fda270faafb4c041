// Which address a connection uses, and when it is given up, with a simulated clock: over sockets of
// this host that refuse, do not answer, or accept and send nothing.
#include <transports/tcp/connect/dialler.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <optional>

namespace tcp_dialler {

using namespace am::detail;
using namespace am::detail::tcp;
using namespace std::chrono_literals;

namespace {

constexpr seam::job_secret secret{std::byte{1}};
constexpr am_rank peer = 0;
const identity me{secret, 1, 2, false};
const identity other{secret, peer, 2, false};
const dialler::clock::time_point start = dialler::clock::now();

base::fd listen_at_loopback(int backlog) {
  base::fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const address here = address::loopback(AF_INET);
  REQUIRE(::bind(listener.get(), here.raw(), here.size()) == 0);
  if (backlog >= 0) REQUIRE(::listen(listener.get(), backlog) == 0);
  return listener;
}

base::fd connect_to(const base::fd& listener) {
  base::fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto there = address::local_of(listener.get());
  (void)::connect(socket.get(), there->raw(), there->size());
  return socket;
}

// Bound, but not listening.
struct refusing {
  base::fd listener = listen_at_loopback(-1);
};
// The kernel accepts connections, and the process does nothing.
struct computing {
  base::fd listener = listen_at_loopback(100);
};
// As an unreachable address: the backlog is so full that the kernel drops further connections.
struct unreachable {
  base::fd listener = listen_at_loopback(0);
  base::fd pending[4];
  unreachable() {
    for (base::fd& one : pending) one = connect_to(listener);
  }
};

struct connecting_rank {
  epoll_set sockets{base::fd(::epoll_create1(EPOLL_CLOEXEC))};
  dialler dialling{sockets, me, 30s};
  std::string why;  // not empty: the connection was given up

  template <class... Listener>
  explicit connecting_rank(const Listener&... listeners) {
    REQUIRE(init_sodium());
    const address places[] = {*address::local_of(listeners.get())...};
    dialling.connect(peer, places, start);
  }
  // What a poll does. A connection: the peer has proved its identity.
  std::optional<tcp_link> poll(dialler::clock::duration passed) {
    std::optional<tcp_link> made;
    sockets.poll([&](const socket_event&) { made = dialling.advance(peer, start + passed); });
    dialling.retry_due(start + passed, [&](am_rank, std::string_view reason) { why = reason; });
    return made;
  }
  // The time at which it was given up, with an attempt every 100 ms.
  std::optional<dialler::clock::duration> time_given_up(dialler::clock::duration within) {
    for (dialler::clock::duration passed{}; passed <= within; passed += 100ms) {
      poll(passed);
      if (!why.empty()) return passed;
    }
    return std::nullopt;
  }
};

// The peer accepts the connection at this listener.
std::optional<tcp_link> accept_connection(const base::fd& listener, connecting_rank& connecting) {
  std::optional<tcp_link> made;
  listener_handshake listening_end(
      base::fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)), other);
  for (int i = 0; i < 10 && !made; ++i) {
    if (listening_end.advance() == handshake_state::proven)
      (void)listening_end.send_verdict(verdict::welcome);
    made = connecting.poll(3s);
  }
  return made;
}

}  // namespace

TEST_CASE("where no process listens the rank counts as gone, soon") {
  const refusing gone;
  connecting_rank one(gone.listener);
  const auto when = one.time_given_up(10s);
  REQUIRE(when);
  CHECK(*when >= 2s);
  CHECK(*when <= 3s);
  CHECK(one.why == address::local_of(gone.listener.get())->text() + ": Connection refused");
}

TEST_CASE("an address that does not answer is given up after AM_PEER_TIMEOUT") {
  const unreachable far;
  connecting_rank one(far.listener);
  const auto when = one.time_given_up(60s);
  REQUIRE(when);
  CHECK(*when >= 30s);
  CHECK(*when <= 31s);
  CHECK(one.why == address::local_of(far.listener.get())->text() +
                       ": no answer: given up after 30 s (AM_PEER_TIMEOUT)");
}

TEST_CASE("a peer that computes answers late, and is never given up") {
  const computing late;
  connecting_rank one(late.listener);
  CHECK_FALSE(one.time_given_up(1h));
  CHECK(one.dialling.is_connecting_to(peer));
}

TEST_CASE("a rank that has computed for long handles events before it checks deadlines") {
  const computing there;
  connecting_rank one(there.listener);
  const auto retry_due = [&](dialler::clock::duration passed) {
    one.dialling.retry_due(start + passed,
                           [&](am_rank, std::string_view reason) { one.why = reason; });
  };
  retry_due(31s);  // the connection has long been established
  CHECK(one.why.empty());
  one.poll(31s);
  listener_handshake listening_end(
      base::fd(::accept4(there.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)),
      other);
  for (int i = 0; i < 10 && listening_end.advance() != handshake_state::proven; ++i) one.poll(31s);
  (void)listening_end.send_verdict(verdict::welcome);
  retry_due(5min);  // so has the verdict
  CHECK(one.why.empty());
  CHECK(one.poll(5min));
}

TEST_CASE("the first address that answers is used") {
  const refusing closed;
  const unreachable far;
  const computing there;
  connecting_rank one(closed.listener, far.listener, there.listener);
  one.poll(0s);
  one.poll(1s);
  one.poll(3s);
  one.poll(3s);  // the last address is tried
  const auto made = accept_connection(there.listener, one);
  REQUIRE(made);
  CHECK(address::remote_of(made->socket())->text() ==
        address::local_of(there.listener.get())->text());
  CHECK_FALSE(one.dialling.is_connecting_to(peer));
}

TEST_CASE("the error names all addresses, and the slowest failure decides when") {
  const refusing closed;
  const unreachable far;
  connecting_rank one(closed.listener, far.listener);
  const auto when = one.time_given_up(60s);
  REQUIRE(when);
  CHECK(*when >= 30s);
  CHECK(*when <= 33s);
  CHECK(one.why == address::local_of(closed.listener.get())->text() + ": Connection refused, " +
                       address::local_of(far.listener.get())->text() +
                       ": no answer: given up after 30 s (AM_PEER_TIMEOUT)");
}

}  // namespace tcp_dialler

// Which address a call takes, and when it is given up, with a clock that is made up: over sockets
// of this host that refuse, do not answer, or take a call and say nothing.
#include <transports/tcp/dialler.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <optional>

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
  base::fd door(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const address here = address::loopback(AF_INET);
  REQUIRE(::bind(door.get(), here.raw(), here.size()) == 0);
  if (backlog >= 0) REQUIRE(::listen(door.get(), backlog) == 0);
  return door;
}

base::fd connect_to(const base::fd& door) {
  base::fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto there = address::of(door.get());
  (void)::connect(socket.get(), there->raw(), there->size());
  return socket;
}

// Bound, and nobody listens.
struct refusing {
  base::fd door = listen_at_loopback(-1);
};
// The system takes calls for it, and nobody says anything.
struct computing {
  base::fd door = listen_at_loopback(100);
};
// As an address that leads nowhere: so many wait at the door that the system drops what else comes.
struct unreachable {
  base::fd door = listen_at_loopback(0);
  base::fd crowd[4];
  unreachable() {
    for (base::fd& one : crowd) one = connect_to(door);
  }
};

struct caller {
  watcher sockets{base::fd(::epoll_create1(EPOLL_CLOEXEC))};
  dialler calls{sockets, me, 30s};
  std::string why;  // the call has been given up

  template <class... Door>
  explicit caller(const Door&... doors) {
    REQUIRE(prepare_proofs());
    const address places[] = {*address::of(doors.get())...};
    calls.call(peer, places, start);
  }
  // What a poll does. A connection: somebody has proved to be the peer.
  std::optional<line> poll(dialler::clock::duration passed) {
    std::optional<line> made;
    sockets.look([&](const sign&) { made = calls.go(peer, start + passed); });
    calls.redial(start + passed, [&](am_rank, std::string_view reason) { why = reason; });
    return made;
  }
  // When it was given up, tried every 100 ms.
  std::optional<dialler::clock::duration> given_up(dialler::clock::duration within) {
    for (dialler::clock::duration passed{}; passed <= within; passed += 100ms) {
      poll(passed);
      if (!why.empty()) return passed;
    }
    return std::nullopt;
  }
};

// The peer, at this door, lets the call in.
std::optional<line> welcome(const base::fd& door, caller& calling) {
  std::optional<line> made;
  visitor guest(base::fd(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)),
                other);
  for (int i = 0; i < 10 && !made; ++i) {
    if (guest.go() == stage::proven) (void)guest.say_verdict(verdict::welcome);
    made = calling.poll(3s);
  }
  return made;
}

}  // namespace

TEST_CASE("where nobody listens a rank has gone, soon") {
  const refusing gone;
  caller one(gone.door);
  const auto when = one.given_up(10s);
  REQUIRE(when);
  CHECK(*when >= 2s);
  CHECK(*when <= 3s);
  CHECK(one.why == address::of(gone.door.get())->text() + ": Connection refused");
}

TEST_CASE("an address that does not answer is given up when AM_PEER_TIMEOUT is over") {
  const unreachable far;
  caller one(far.door);
  const auto when = one.given_up(60s);
  REQUIRE(when);
  CHECK(*when >= 30s);
  CHECK(*when <= 31s);
  CHECK(one.why ==
        address::of(far.door.get())->text() + ": no answer: given up after 30 s (AM_PEER_TIMEOUT)");
}

TEST_CASE("who computes answers late, and is called for ever") {
  const computing late;
  caller one(late.door);
  CHECK_FALSE(one.given_up(1h));
  CHECK(one.calls.is_calling(peer));
}

TEST_CASE("who has computed for long hears what has come before any call is overdue") {
  const computing there;
  caller one(there.door);
  const auto redial = [&](dialler::clock::duration passed) {
    one.calls.redial(start + passed, [&](am_rank, std::string_view reason) { one.why = reason; });
  };
  redial(31s);  // the connection has long stood
  CHECK(one.why.empty());
  one.poll(31s);
  visitor guest(
      base::fd(::accept4(there.door.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)), other);
  for (int i = 0; i < 10 && guest.go() != stage::proven; ++i) one.poll(31s);
  (void)guest.say_verdict(verdict::welcome);
  redial(5min);  // so has the verdict
  CHECK(one.why.empty());
  CHECK(one.poll(5min));
}

TEST_CASE("the first address that answers serves") {
  const refusing closed;
  const unreachable far;
  const computing there;
  caller one(closed.door, far.door, there.door);
  one.poll(0s);
  one.poll(1s);
  one.poll(3s);
  one.poll(3s);  // the turn of the last one
  const auto made = welcome(there.door, one);
  REQUIRE(made);
  CHECK(address::far_end_of(made->socket())->text() == address::of(there.door.get())->text());
  CHECK_FALSE(one.calls.is_calling(peer));
}

TEST_CASE("all addresses are told when none serves, and the most hopeful decides how soon") {
  const refusing closed;
  const unreachable far;
  caller one(closed.door, far.door);
  const auto when = one.given_up(60s);
  REQUIRE(when);
  CHECK(*when >= 30s);
  CHECK(*when <= 33s);
  CHECK(one.why == address::of(closed.door.get())->text() + ": Connection refused, " +
                       address::of(far.door.get())->text() +
                       ": no answer: given up after 30 s (AM_PEER_TIMEOUT)");
}

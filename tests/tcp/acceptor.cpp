// Incoming connections, with a simulated clock.
#include <transports/tcp/connect/acceptor.hpp>
#include <transports/tcp/connect/rank_address.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

namespace tcp_acceptor {

using namespace am::detail;
using namespace am::detail::tcp;
using namespace std::chrono_literals;

namespace {

constexpr seam::job_secret secret{std::byte{1}};
const identity me{secret, 0, 2, false};
const identity other{secret, 1, 2, false};
const acceptor::clock::time_point start = acceptor::clock::now();

std::vector<base::fd> one_listener() {
  base::fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const address here = address::loopback(AF_INET);
  REQUIRE(::bind(listener.get(), here.raw(), here.size()) == 0);
  REQUIRE(::listen(listener.get(), 100) == 0);
  std::vector<base::fd> all;
  all.push_back(std::move(listener));
  return all;
}

// Rank 1 has connected and is accepted, its handshake pending.
struct with_one_pending {
  epoll_set sockets{base::fd(::epoll_create1(EPOLL_CLOEXEC))};
  std::uint64_t refused = 0;
  acceptor at{one_listener(), sockets, me, refused};
  connector_handshake connecting_end = connect_to_listener();
  std::uint32_t pending = accept_only();

  connector_handshake connect_to_listener() {
    REQUIRE(init_sodium());
    base::fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto there = address::local_of(at.listeners().front().get());
    REQUIRE(::connect(socket.get(), there->raw(), there->size()) == 0);
    return {std::move(socket), other, 0};
  }
  std::uint32_t accept_only() {
    const auto accepted = at.accept_connections(0, start);
    REQUIRE(accepted.size() == 1);
    return accepted.front();
  }
};

}  // namespace

TEST_CASE_FIXTURE(with_one_pending, "a connection that sends nothing for a minute is closed") {
  at.check_deadlines(start + 59s);
  CHECK(at.next_deadline() == start + 60s);
  at.check_deadlines(start + 61s);
  CHECK(at.next_deadline() == acceptor::clock::time_point::max());
}

TEST_CASE_FIXTURE(with_one_pending,
                  "a rank that has closed its connection meanwhile gets no verdict") {
  CHECK(connecting_end.advance() == handshake_state::in_progress);
  CHECK_FALSE(at.advance(pending));
  CHECK(connecting_end.advance() == handshake_state::in_progress);  // sends its proof
  { const base::fd closed_socket = connecting_end.take_socket(); }
  CHECK_FALSE(at.advance(pending));
  CHECK(at.next_deadline() == acceptor::clock::time_point::max());
}

TEST_CASE_FIXTURE(with_one_pending,
                  "a rank that has computed for a minute still handles earlier connections") {
  CHECK(connecting_end.advance() == handshake_state::in_progress);
  at.check_deadlines(start + 61s);
  CHECK_FALSE(at.advance(pending));
  CHECK(connecting_end.advance() == handshake_state::in_progress);
  at.check_deadlines(start + 61s);
  CHECK(at.advance(pending) == 1);
}

TEST_CASE_FIXTURE(with_one_pending, "a refused connection is counted, and one that ends is not") {
  { const base::fd closed_socket = connecting_end.take_socket(); }
  CHECK_FALSE(at.advance(pending));
  CHECK(refused == 0);
  const connector_handshake stranger = connect_to_listener();
  const std::array<std::byte, 48> no_hello{};
  REQUIRE(::send(stranger.socket(), no_hello.data(), no_hello.size(), 0) == 48);
  CHECK_FALSE(at.advance(accept_only()));
  CHECK(refused == 1);
}

}  // namespace tcp_acceptor

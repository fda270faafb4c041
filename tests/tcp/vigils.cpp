// Whose host is silent, with a clock that is made up, over connections that stand.
#include "ends.hpp"

#include <transports/tcp/vigil.hpp>

#include <doctest/doctest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

using namespace am::detail;
using namespace am::detail::tcp;
using namespace std::chrono_literals;

namespace {

using connection = am_test::sockets;

void answer(const connection& one) { REQUIRE(::send(one.far.get(), "x", 1, MSG_NOSIGNAL) == 1); }

int option(const base::fd& socket, int level, int which) {
  int value = 0;
  socklen_t size = sizeof value;
  REQUIRE(::getsockopt(socket.get(), level, which, &value, &size) == 0);
  return value;
}

const vigil::clock::time_point start = vigil::clock::now();

}  // namespace

TEST_CASE("the system asks a silent host several times within the timeout") {
  const connection one;
  vigil watch(30s);
  watch.begin(1, one.near.get());
  CHECK(option(one.near, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPIDLE) == 7);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPINTVL) == 7);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPCNT) == 4);
  // It would cut off a peer that does not read: docs/failure.md.
  CHECK(option(one.near, IPPROTO_TCP, TCP_USER_TIMEOUT) == 0);
}

TEST_CASE("at the shortest timeout, once a second") {
  const connection one;
  vigil watch(2s);
  watch.begin(1, one.near.get());
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPIDLE) == 1);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPINTVL) == 1);
}

TEST_CASE("a host from which nothing comes is silent before the timeout has passed") {
  const connection one;
  const connection other;
  vigil watch(8s);
  watch.begin(1, one.near.get());
  watch.begin(2, other.near.get());
  for (auto passed = 0s; passed < 7s; passed += 1s) {
    answer(other);
    CHECK(watch.look(start + passed).empty());
  }
  answer(other);
  CHECK(watch.look(start + 7s) == std::vector<am_rank>{1});
  watch.end(one.near.get());
  answer(other);
  CHECK(watch.look(start + 8s).empty());
}

TEST_CASE("looks are counted, so that a rank that computes blames nobody") {
  const connection one;
  vigil watch(8s);
  watch.begin(1, one.near.get());
  CHECK(watch.look(start).empty());
  CHECK(watch.look(start + 1h).empty());
  for (int i = 0; i < 100; ++i) CHECK(watch.look(start + 1h + 999ms).empty());  // not due
  CHECK(watch.next_deadline() == start + 1h + 1s);
}

TEST_CASE("without a connection there is nothing to wake up for") {
  const connection one;
  vigil watch(8s);
  CHECK(watch.next_deadline() == vigil::clock::time_point::max());
  watch.begin(1, one.near.get());
  CHECK(watch.next_deadline() < vigil::clock::time_point::max());
  watch.end(one.near.get());
  CHECK(watch.next_deadline() == vigil::clock::time_point::max());
}

// Which peer's host is silent, with a simulated clock, over established connections.
#include "link_pair.hpp"

#include <libam/packed/keepalive.hpp>

#include <doctest/doctest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace tcp_keepalive {

using namespace am::detail;
using namespace am::detail::packed;
using namespace std::chrono_literals;

namespace {

using connection = am_test::sockets;

void send_byte(const connection& one) { REQUIRE(::send(one.far.get(), "x", 1, MSG_NOSIGNAL) == 1); }

int option(const base::fd& socket, int level, int which) {
  int value = 0;
  socklen_t size = sizeof value;
  REQUIRE(::getsockopt(socket.get(), level, which, &value, &size) == 0);
  return value;
}

const keepalive::clock::time_point start = keepalive::clock::now();

// Two connections, with these ends.
struct two_monitored {
  two_monitored(std::uint32_t first, std::uint32_t second) {
    monitor.add(first, one.near.get());
    monitor.add(second, other.near.get());
  }
  const connection one;
  const connection other;
  keepalive monitor{8s};
};

}  // namespace

TEST_CASE("the kernel probes a silent host several times within the timeout") {
  const connection one;
  keepalive monitor(30s);
  monitor.add(1, one.near.get());
  CHECK(option(one.near, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPIDLE) == 7);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPINTVL) == 7);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPCNT) == 4);
  // It would close a connection whose peer does not read: docs/failure.md.
  CHECK(option(one.near, IPPROTO_TCP, TCP_USER_TIMEOUT) == 0);
}

TEST_CASE("at the shortest timeout, once a second") {
  const connection one;
  keepalive monitor(2s);
  monitor.add(1, one.near.get());
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPIDLE) == 1);
  CHECK(option(one.near, IPPROTO_TCP, TCP_KEEPINTVL) == 1);
}

TEST_CASE("a host from which nothing arrives counts as silent before the timeout has passed") {
  two_monitored hosts(1, 2);
  for (auto passed = 0s; passed < 7s; passed += 1s) {
    send_byte(hosts.other);
    CHECK(hosts.monitor.check_silence(start + passed).empty());
  }
  send_byte(hosts.other);
  CHECK(hosts.monitor.check_silence(start + 7s) == std::vector<std::uint32_t>{1});
  hosts.monitor.remove(hosts.one.near.get());
  send_byte(hosts.other);
  CHECK(hosts.monitor.check_silence(start + 8s).empty());
}

TEST_CASE("an end of several connections is silent if all of them are, and is reported once") {
  two_monitored host(1, 1);
  for (auto passed = 0s; passed < 9s; passed += 1s) {
    if (passed < 2s) send_byte(host.other);
    const auto silent = host.monitor.check_silence(start + passed);
    CHECK(silent == std::vector<std::uint32_t>(passed < 8s ? 0 : 1, 1));
  }
}

TEST_CASE("an end is silent, too, when its last lively connection has gone") {
  two_monitored host(1, 1);
  auto passed = 0s;
  for (; passed < 10s; passed += 1s) {
    send_byte(host.other);
    CHECK(host.monitor.check_silence(start + passed).empty());
  }
  host.monitor.remove(host.other.near.get());
  CHECK(host.monitor.check_silence(start + passed) == std::vector<std::uint32_t>{1});
}

TEST_CASE("checks are counted, so that a rank that computes blames no peer") {
  const connection one;
  keepalive monitor(8s);
  monitor.add(1, one.near.get());
  CHECK(monitor.check_silence(start).empty());
  CHECK(monitor.check_silence(start + 1h).empty());
  // Not due.
  for (int i = 0; i < 100; ++i) CHECK(monitor.check_silence(start + 1h + 999ms).empty());
  CHECK(monitor.next_deadline() == start + 1h + 1s);
}

TEST_CASE("without a connection there are no wakeups") {
  const connection one;
  keepalive monitor(8s);
  CHECK(monitor.next_deadline() == keepalive::clock::time_point::max());
  monitor.add(1, one.near.get());
  CHECK(monitor.next_deadline() < keepalive::clock::time_point::max());
  monitor.remove(one.near.get());
  CHECK(monitor.next_deadline() == keepalive::clock::time_point::max());
}

}  // namespace tcp_keepalive

// Which peers have silent hosts, with a simulated clock and with sockets that UCX could have
// opened; and what UCX itself opens.
#include "two_ranks.hpp"

#include <libam/base/fd.hpp>
#include <transports/ucx/host_monitor.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

namespace ucx_host_monitor {

using namespace am_test;
using namespace std::chrono_literals;
using am::detail::packed::address;

namespace {

const auto start = ucx::host_monitor::clock::now();

base::fd tcp_socket() { return base::fd(::socket(AF_INET, SOCK_STREAM, 0)); }

// An epoll set, and a connection in it with a host at 127.0.0.2. What `far` sends arrives.
struct simulated_ucx {
  base::fd epoll_set{::epoll_create1(EPOLL_CLOEXEC)};
  base::fd listener = tcp_socket();
  base::fd near = tcp_socket();
  base::fd far;

  simulated_ucx() {
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&there), sizeof there) == 0);
    REQUIRE(::listen(listener.get(), 1) == 0);
    connect(near, far);
  }
  void connect(base::fd& from, base::fd& accepted) {
    const auto there = *address::local_of(listener.get());
    REQUIRE(::connect(from.get(), there.raw(), there.size()) == 0);
    accepted = base::fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    epoll_event readable{EPOLLIN, {}};
    REQUIRE(::epoll_ctl(epoll_set.get(), EPOLL_CTL_ADD, from.get(), &readable) == 0);
  }
  [[nodiscard]] std::vector<int> opened() const { return {epoll_set.get(), listener.get()}; }
  [[nodiscard]] std::vector<address> listeners() const {
    return {*address::local_of(listener.get())};
  }
};

void send_byte(const base::fd& from) { REQUIRE(::send(from.get(), "x", 1, MSG_NOSIGNAL) == 1); }
bool is_close_on_exec(int one) { return (::fcntl(one, F_GETFD) & FD_CLOEXEC) != 0; }

}  // namespace

TEST_CASE("all peers of a host from which nothing arrives are silent, and no others") {
  const simulated_ucx ucx;
  ucx::host_monitor monitor(8s, ucx.opened());
  CHECK(monitor.own_listeners() == ucx.listeners());
  monitor.add(3, ucx.listeners());
  monitor.add(4, ucx.listeners());
  monitor.add(5, std::vector{address::loopback(AF_INET)});
  for (auto passed = 0s; passed < 7s; passed += 1s) CHECK(monitor.check(start + passed).empty());
  CHECK(monitor.check(start + 7s) == std::vector<am_rank>{3, 4});
}

TEST_CASE("a host that answers is not silent, though one of its connections is") {
  simulated_ucx ucx;
  base::fd other = tcp_socket();
  base::fd other_far;
  ucx.connect(other, other_far);
  ucx::host_monitor monitor(8s, ucx.opened());
  monitor.add(3, ucx.listeners());
  for (auto passed = 0s; passed < 20s; passed += 1s) {
    send_byte(other_far);
    CHECK(monitor.check(start + passed).empty());
  }
}

TEST_CASE("a connection that takes the number of another one is monitored from its beginning") {
  simulated_ucx ucx;
  ucx::host_monitor monitor(8s, ucx.opened());
  monitor.add(3, ucx.listeners());
  for (auto passed = 0s; passed < 7s; passed += 1s) CHECK(monitor.check(start + passed).empty());
  const int number = ucx.near.get();
  ucx.near = base::fd();
  ucx.near = tcp_socket();
  REQUIRE(ucx.near.get() == number);
  ucx.connect(ucx.near, ucx.far);
  for (auto passed = 7s; passed < 14s; passed += 1s) CHECK(monitor.check(start + passed).empty());
  CHECK(monitor.check(start + 14s) == std::vector<am_rank>{3});
}

TEST_CASE("a connection that accepts no more data is ended before UCX ends, and no other") {
  simulated_ucx ucx;
  base::fd blocked = tcp_socket();
  base::fd blocked_far;
  ucx.connect(blocked, blocked_far);
  const std::vector<char> data(1 << 16);
  while (::send(blocked.get(), data.data(), data.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
  }
  ucx::host_monitor monitor(8s, ucx.opened());
  monitor.add(3, ucx.listeners());
  monitor.shut_down_blocked();
  CHECK(::send(blocked.get(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == -1);
  CHECK(errno == EPIPE);
  send_byte(ucx.near);
}

TEST_CASE("the kernel probes the host, and executed programs do not get the connection") {
  const simulated_ucx ucx;
  ucx::host_monitor monitor(8s, ucx.opened());
  monitor.add(3, ucx.listeners());
  CHECK_FALSE(is_close_on_exec(ucx.near.get()));
  (void)monitor.check(start);
  CHECK(is_close_on_exec(ucx.near.get()));
  int idle = 0;
  socklen_t size = sizeof idle;
  REQUIRE(::getsockopt(ucx.near.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size) == 0);
  CHECK(idle == 2);
}

TEST_CASE("a check is due after a contact, and from time to time if there are other hosts") {
  const simulated_ucx ucx;
  ucx::host_monitor monitor(8s, ucx.opened());
  CHECK_FALSE(monitor.is_due());
  CHECK(monitor.next_deadline() == ucx::host_monitor::clock::time_point::max());
  monitor.note_contact();
  CHECK(monitor.is_due());
  const auto now = ucx::host_monitor::clock::now() + 100ms;  // past the clock of is_due()
  (void)monitor.check(now);
  CHECK_FALSE(monitor.is_due());
  monitor.add(3, ucx.listeners());
  CHECK_FALSE(monitor.is_due());
  CHECK(monitor.next_deadline() == now + 1s);
}

TEST_CASE("all that UCX opens is close-on-exec, also what it opens after it has started") {
  const std::vector<int> before = base::open_descriptors();
  const connected_pair pair;
  for (const int one : base::open_descriptors())
    CHECK((std::ranges::count(before, one) == 1 || is_close_on_exec(one)));
}

}  // namespace ucx_host_monitor

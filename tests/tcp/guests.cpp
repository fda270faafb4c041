// Who comes to the door, by a clock that is made up.
#include <transports/tcp/address.hpp>
#include <transports/tcp/reception.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

using namespace am::detail;
using namespace am::detail::tcp;
using namespace std::chrono_literals;

namespace {

constexpr seam::job_secret secret{std::byte{1}};
const identity me{secret, 0, 2, false};
const identity other{secret, 1, 2, false};
const reception::clock::time_point start = reception::clock::now();

std::vector<base::fd> one_door() {
  base::fd door(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const address here = address::loopback(AF_INET);
  REQUIRE(::bind(door.get(), here.raw(), here.size()) == 0);
  REQUIRE(::listen(door.get(), 100) == 0);
  std::vector<base::fd> all;
  all.push_back(std::move(door));
  return all;
}

// Rank 1 has called, and been let in.
struct called {
  watcher sockets{base::fd(::epoll_create1(EPOLL_CLOEXEC))};
  reception at{one_door(), sockets, me};
  connector caller = call();
  std::uint32_t guest = only_guest();

  connector call() {
    REQUIRE(prepare_proofs());
    base::fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto there = address::of(at.doors().front().get());
    REQUIRE(::connect(socket.get(), there->raw(), there->size()) == 0);
    return {std::move(socket), other, 0};
  }
  std::uint32_t only_guest() {
    const auto came = at.open_door(0, start);
    REQUIRE(came.size() == 1);
    return came.front();
  }
};

}  // namespace

TEST_CASE_FIXTURE(called, "who has said nothing for a minute is turned out") {
  at.tend(start + 59s);
  CHECK(at.next_deadline() == start + 60s);
  at.tend(start + 61s);
  CHECK(at.next_deadline() == reception::clock::time_point::max());
}

TEST_CASE_FIXTURE(called, "a rank that has given its call up meanwhile is not welcomed") {
  CHECK(caller.go() == stage::talking);
  CHECK_FALSE(at.hear(guest));
  CHECK(caller.go() == stage::talking);  // says its proof
  { const base::fd hung_up = caller.take_socket(); }
  CHECK_FALSE(at.hear(guest));
  CHECK(at.next_deadline() == reception::clock::time_point::max());
}

TEST_CASE_FIXTURE(called, "a rank that has computed for a minute hears who has called meanwhile") {
  CHECK(caller.go() == stage::talking);
  at.tend(start + 61s);
  CHECK_FALSE(at.hear(guest));
  CHECK(caller.go() == stage::talking);
  at.tend(start + 61s);
  CHECK(at.hear(guest) == 1);
}

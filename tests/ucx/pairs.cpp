// First contact, order, and the end of a pair.
#include "two_ranks.hpp"

#include <libam/wire/frame.hpp>
#include <transports/ucx/engine.hpp>

#include <poll.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ucx_pairs {

using namespace am_test;
namespace wire = am::detail::wire;

namespace {

// Whether its sleep would end at once.
bool would_wake(member& sleeper) {
  pollfd readable{sleeper.transport->wake_descriptor(), POLLIN, 0};
  return sleeper.transport->arm().count() == 0 || ::poll(&readable, 1, 0) == 1;
}

}  // namespace

TEST_CASE("a connection is used when a message has passed in both directions, not before") {
  member zero(0);
  member one(1);
  for (unsigned i = 0; i < 100; ++i) {
    REQUIRE(zero.try_connect(one) == nullptr);
    zero.transport->poll(64);
  }
  seam::port& port = connect_ranks(zero, one);
  CHECK(!port.describe_route().empty());
  send(port, 7);
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  // A rank that has received a message from the peer needs no handshake.
  CHECK(one.try_connect(zero) != nullptr);
}

TEST_CASE("the route to another host reports its failure, which UCX's shared memory cannot") {
  member zero(0);
  member elsewhere(1, 64, base::wait_mode::spin, 2);
  std::string why;
  (void)zero.transport->connect(1, elsewhere.transport->address(), why);
  const std::string ways = std::getenv("UCX_TLS");
  CHECK_MESSAGE(why.empty() == ways.starts_with("tcp"), why);
}

TEST_CASE("a frame of any size goes in one fragment of UCX's TCP") {
  const std::string ways = std::getenv("UCX_TLS");
  ::setenv("UCX_TLS", "tcp", 1);
  for (const wire::payload_sizes payloads :
       {wire::payload_sizes(), wire::payload_sizes(wire::largest_max_medium)}) {
    std::string why;
    const auto alone = ucx::engine::start(false, 0, payloads, why);
    REQUIRE_MESSAGE(alone != nullptr, why);
    ucp_worker_attr_t about{};
    about.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
    REQUIRE(ucp_worker_query(alone->worker(), &about) == UCS_OK);
    CHECK(about.max_am_header >= wire::most_frame_bytes(payloads, ucx::full_frame_bytes));
  }
  ::setenv("UCX_TLS", ways.c_str(), 1);
}

TEST_CASE("simultaneous connections become one pair, and nothing is lost or doubled") {
  member zero(0);
  member one(1);
  seam::port* ports[2]{};
  REQUIRE(poll_until({&zero, &one}, [&] {
    if (ports[0] == nullptr) ports[0] = zero.try_connect(one);
    if (ports[1] == nullptr) ports[1] = one.try_connect(zero);
    return ports[0] != nullptr && ports[1] != nullptr;
  }));
  for (am_word i = 0; i < 10; ++i) {
    send(*ports[0], i);
    send(*ports[1], i);
  }
  REQUIRE(poll_until({&zero, &one},
                     [&] { return zero.seen.all.size() == 10 && one.seen.all.size() == 10; }));
  for (am_word i = 0; i < 10; ++i) {
    CHECK(zero.seen.all[i] == recorder::handler_run{1, silent, i, 0});
    CHECK(one.seen.all[i] == recorder::handler_run{0, silent, i, 0});
  }
}

// UCX may let a short message overtake one in fragments.
TEST_CASE("messages of all sizes arrive in the order in which they were sent") {
  member zero(0, 4096);
  member one(1, 4096);
  seam::port& port = connect_ranks(zero, one);
  const std::vector<std::byte> payload(zero.transport->max_medium(), std::byte{5});
  constexpr am_word count = 2000;
  am_word sent = 0;
  REQUIRE(poll_until({&zero, &one}, [&] {
    for (; sent < count && port.credits.free() > 0; ++sent) {
      port.credits.take();
      const am_word words[] = {sent, 0, 0, 0};
      const std::size_t bytes = sent % 3 == 0 ? payload.size() - sent : sent % 100;
      if (sent % 2 == 0)
        port.send(silent, sent, 0, 0, 0);
      else if (port.send_medium(silent, words, payload.data(), bytes) != AM_OK) {
        port.credits.put_back();
        break;
      }
    }
    return one.seen.all.size() == count;
  }));
  for (am_word i = 0; i < count; ++i) CHECK(one.seen.all[i].word == i);
}

TEST_CASE("a poll runs at most its budget of handlers, and the rest is not lost") {
  member zero(0);
  member one(1);
  seam::port& port = connect_ranks(zero, one);
  constexpr std::size_t count = 50;
  for (am_word i = 0; i < count; ++i) send(port, i);
  REQUIRE(zero.transport->flush() == AM_OK);
  std::size_t due = 0;
  REQUIRE(poll_until({&zero}, [&] {
    due += one.transport->poll(1);
    CHECK(one.seen.all.size() == due);
    return due == count;
  }));
  CHECK(one.transport->poll(64) == 0);
}

TEST_CASE("a rank that only refreshes credits receives them, and runs no handler") {
  member zero(0, 4);
  member one(1, 4);
  seam::port& there = connect_ranks(zero, one);
  send(there, 1);
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  seam::port& back = connect_ranks(one, zero);
  for (am_word i = 0; i < 3; ++i) send(there, i);
  REQUIRE(zero.transport->flush() == AM_OK);
  REQUIRE(poll_until({&one}, [&] { return one.seen.all.size() == 4; }));
  for (am_word i = 0; i < 4; ++i) send(back, i);
  REQUIRE(poll_until({&one}, [&] {
    there.refresh_credits();
    return there.credits.free() == 4;
  }));
  CHECK(zero.seen.all.empty());
  REQUIRE(poll_until({&zero, &one}, [&] { return zero.seen.all.size() == 4; }));
}

TEST_CASE("a sleeping rank is notified of a new peer until it polls") {
  member zero(0, 64, base::wait_mode::block);
  member one(1, 64, base::wait_mode::block);
  REQUIRE(poll_until({&one}, [&] { return !would_wake(one); }));
  CHECK(zero.try_connect(one) == nullptr);
  REQUIRE(poll_until({&zero}, [&] { return would_wake(one); }));
  for (int i = 0; i < 3; ++i) CHECK(would_wake(one));
  (void)connect_ranks(zero, one);
}

TEST_CASE("a sleeping rank is notified when a message arrives") {
  member zero(0, 64, base::wait_mode::block);
  member one(1, 64, base::wait_mode::block);
  seam::port& port = connect_ranks(zero, one);
  REQUIRE(one.transport->wake_descriptor() >= 0);
  REQUIRE(poll_until({&zero, &one}, [&] { return one.transport->arm().count() != 0; }));
  send(port, 9);
  REQUIRE(poll_until({&zero}, [&] { return would_wake(one); }));
  REQUIRE(poll_until({&one}, [&] { return one.seen.all.size() == 1; }));
}

TEST_CASE("a peer that leaves says goodbye") {
  member zero(0);
  auto one = std::make_unique<member>(1);
  seam::port& port = connect_ranks(zero, *one);
  send(port, 1);
  REQUIRE(poll_until({&zero, one.get()}, [&] {
    port.refresh_credits();
    return one->seen.all.size() == 1 && port.credits.in_flight() == 0;
  }));
  one->transport->leave();
  one->transport.reset();
  REQUIRE(poll_until({&zero}, [&] { return port.describe_peer() == "it has left"; }));
  CHECK(zero.seen.deaths.empty());
}

TEST_CASE("an invalid UCX address is refused with a reason") {
  member zero(0);
  std::string why;
  CHECK(zero.transport->connect(1, {}, why) == nullptr);
  CHECK(why == "rank 1 does not use it");
  const std::vector<std::byte> own = zero.transport->address();
  CHECK(zero.transport->connect(0, own, why) == nullptr);
  CHECK(why == "it reaches other ranks only: AM_TRANSPORT leaves self out");
}

}  // namespace ucx_pairs

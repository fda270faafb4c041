// Two ranks over real sockets in one thread, polled by the test: simultaneous connections, a peer
// that leaves, and one that is gone.
#include "../support/failure_sink.hpp"
#include "../support/recorder.hpp"
#include "../support/simulated_boot.hpp"

#include <libam/base/fd.hpp>
#include <libam/base/settings.hpp>
#include <transports/tcp/connect/rank_address.hpp>
#include <transports/tcp/tcp.hpp>

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <chrono>

namespace tcp_pairs {

using namespace am::detail;
using am_test::recorder;

namespace {

class boot_with_secret final : public am_test::simulated_boot {
 public:
  using simulated_boot::simulated_boot;
  [[nodiscard]] const seam::job_secret* secret() const noexcept override { return &secret_; }

 private:
  seam::job_secret secret_{std::byte{1}};
};

base::settings quiet_settings(bool encrypts) {
  base::settings made;
  made.tcp_crypt = encrypts;
  made.log = base::log_level::none;
  return made;
}

struct member {
  explicit member(am_rank rank, bool encrypts = false)
      : boot(rank, 2), settings(quiet_settings(encrypts)) {
    std::string why;
    transport = tcp::make(seam::transport_context{rank, 2, settings, boot, seen}, why);
    REQUIRE_MESSAGE(transport != nullptr, why);
  }
  seam::port& connect(member& other) {
    std::string why;
    seam::port* const port = transport->connect(other.boot.rank(), other.transport->address(), why);
    REQUIRE_MESSAGE(port != nullptr, why);
    return *port;
  }

  boot_with_secret boot;
  base::settings settings;
  recorder seen;
  std::unique_ptr<seam::transport> transport;
};

void send(seam::port& port, am_word word) {
  port.credits.take();
  port.send(am_test::silent, word, 0, 0, 0);
}

// Polls all in turn until this holds. False: it never does.
template <class Holds>
bool poll_until(std::initializer_list<member*> all, Holds&& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    for (member* one : all) one->transport->poll(64);
  }
  return true;
}

}  // namespace

TEST_CASE("simultaneous connections become one, and nothing sent before is lost or doubled") {
  for (const unsigned variant : {0, 1, 2, 3}) {
    const bool lower_first = (variant & 1) != 0;
    const bool encrypt = (variant & 2) != 0;
    CAPTURE(lower_first);
    CAPTURE(encrypt);
    member zero(0, encrypt);
    member one(1, encrypt);
    const auto before = base::open_descriptors().size();
    seam::port* ports[2]{};
    for (const bool zero_now : {lower_first, !lower_first})
      ports[zero_now ? 0 : 1] = zero_now ? &zero.connect(one) : &one.connect(zero);
    for (am_word i = 0; i < 10; ++i) {
      send(*ports[0], i);
      send(*ports[1], i);
    }
    REQUIRE(poll_until({&zero, &one},
                       [&] { return zero.seen.all.size() == 10 && one.seen.all.size() == 10; }));
    REQUIRE(
        poll_until({&zero, &one}, [&] { return base::open_descriptors().size() == before + 2; }));
    for (am_word i = 0; i < 10; ++i) {
      CHECK(zero.seen.all[i] == recorder::handler_run{1, am_test::silent, i, 0});
      CHECK(one.seen.all[i] == recorder::handler_run{0, am_test::silent, i, 0});
    }
    CHECK(zero.seen.deaths.empty());
    CHECK(one.seen.deaths.empty());
  }
}

// As behind a firewall, where no process listens, or one that accepts every connection and sends
// nothing.
TEST_CASE(
    "where only the higher rank can reach the other, its connection is used though both connect") {
  for (const bool listens : {false, true}) {
    CAPTURE(listens);
    member zero(0);
    member one(1);
    const base::fd silent_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const tcp::address here = tcp::address::loopback(AF_INET);
    REQUIRE(::bind(silent_listener.get(), here.raw(), here.size()) == 0);
    if (listens) REQUIRE(::listen(silent_listener.get(), 8) == 0);
    tcp::rank_address wrong = *tcp::rank_address::decode(one.transport->address());
    wrong.addresses = {*tcp::address::local_of(silent_listener.get())};
    std::string why;
    seam::port* const to_one = zero.transport->connect(1, wrong.encode(), why);
    REQUIRE(to_one != nullptr);
    send(*to_one, 1);
    send(one.connect(zero), 2);
    REQUIRE(poll_until({&zero, &one},
                       [&] { return zero.seen.all.size() == 1 && one.seen.all.size() == 1; }));
    CHECK(zero.seen.deaths.empty());
    CHECK(one.seen.deaths.empty());
  }
}

TEST_CASE("two ranks of which only one encrypts report it, and do not connect") {
  member zero(0, false);
  member one(1, true);
  std::string why;
  CHECK(zero.transport->connect(1, one.transport->address(), why) == nullptr);
  CHECK(why == "AM_TCP_CRYPT is 1 at rank 1 and 0 here: give all ranks the same");
  CHECK(one.transport->connect(0, zero.transport->address(), why) == nullptr);
  CHECK(why == "AM_TCP_CRYPT is 0 at rank 0 and 1 here: give all ranks the same");
}

TEST_CASE("one connection serves the rank that was connected to, too") {
  member zero(0);
  member one(1);
  send(zero.connect(one), 1);
  REQUIRE(poll_until({&zero, &one}, [&] { return one.seen.all.size() == 1; }));
  const auto connected = base::open_descriptors().size();
  send(one.connect(zero), 2);
  REQUIRE(poll_until({&zero, &one}, [&] { return zero.seen.all.size() == 1; }));
  CHECK(base::open_descriptors().size() == connected);
}

TEST_CASE("a peer that leaves says goodbye; one that is gone is lost, and stays lost") {
  for (const bool leaves : {true, false}) {
    CAPTURE(leaves);
    member zero(0);
    auto one = std::make_unique<member>(1);
    seam::port& port = zero.connect(*one);
    send(port, 1);
    REQUIRE(poll_until({&zero, one.get()}, [&] {
      port.refresh_credits();
      return one->seen.all.size() == 1 && port.credits.in_flight() == 0;
    }));
    if (leaves) one->transport->leave();
    one->transport.reset();
    const auto about = [&] { return port.describe_peer(); };
    const std::string due = leaves ? "it has left" : "its connection is lost";
    REQUIRE(poll_until({&zero}, [&] { return about() == due; }));
    REQUIRE(poll_until({&zero}, [&] { return leaves || zero.seen.deaths.size() == 1; }));
    CHECK(zero.seen.deaths.empty() == leaves);
  }
}

TEST_CASE("what is sent at first contact over a lost connection returns") {
  member zero(0);
  auto one = std::make_unique<member>(1);
  send(one->connect(zero), 1);
  REQUIRE(poll_until({&zero, one.get()}, [&] { return zero.seen.all.size() == 1; }));
  const std::vector<std::byte> address = one->transport->address();
  one->transport.reset();
  std::string why;
  seam::port* port = nullptr;
  REQUIRE(poll_until({&zero}, [&] {
    port = zero.transport->connect(1, address, why);
    return port == nullptr || port->describe_peer() == "its connection is lost";
  }));
  REQUIRE(port != nullptr);
  CHECK(zero.seen.deaths.empty());
  send(*port, 7);
  REQUIRE(poll_until({&zero}, [&] { return zero.seen.deaths.size() == 1; }));
  am_test::failure_sink returned;
  port->fail_pending(returned);
  CHECK(returned.words == std::vector<am_word>{7});
}

}  // namespace tcp_pairs

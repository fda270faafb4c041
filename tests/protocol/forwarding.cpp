// The cost of wrapping a transport in one that does nothing: one more call for each call, and no
// runs. All ports to a peer share one account of credits.
#include "four_rank_endpoint.hpp"

#include <libam/seam/forwarding.hpp>

namespace protocol_forwarding {

using am_test::entry;
using am_test::recording_transport;
namespace seam = am::detail::seam;

namespace {

void note(am::request_token, am::word) {}

// Calls of the inner port, by core or by a port around it.
struct calls {
  unsigned sends = 0;
  unsigned in_runs = 0;
  unsigned poll_once_calls = 0;
  unsigned refreshes = 0;
  bool operator==(const calls&) const = default;
};
calls counted;

class counting_port final : public seam::forwarding_port {
 public:
  using forwarding_port::forwarding_port;
  void send(std::uint32_t handler, am_word w0, am_word w1, am_word w2,
            am_word w3) noexcept override {
    ++counted.sends;
    forwarding_port::send(handler, w0, w1, w2, w3);
  }
  am_status send_in_run(const am_handler* handler, am_word w3, am_word w0, am_word w1,
                        am_word w2) noexcept override {
    ++counted.in_runs;
    return forwarding_port::send_in_run(handler, w3, w0, w1, w2);
  }
  void poll_once() noexcept override {
    ++counted.poll_once_calls;
    forwarding_port::poll_once();
  }
  std::uint32_t poll_after_send() noexcept override {
    ++counted.poll_once_calls;
    return forwarding_port::poll_after_send();
  }
  void refresh_credits() noexcept override {
    ++counted.refreshes;
    forwarding_port::refresh_credits();
  }
};

// Wraps every port in another one, which forwards only, or counts.
template <class Port>
class wrapper final : public seam::forwarding_transport {
 public:
  using forwarding_transport::forwarding_transport;
  seam::port* connect(am_rank peer, std::span<const std::byte> address, std::string& why) override {
    seam::port* const inner = forwarding_transport::connect(peer, address, why);
    if (inner == nullptr) return nullptr;
    made_.push_back(std::make_unique<Port>(*inner));
    return made_.back().get();
  }

 private:
  std::vector<std::unique_ptr<seam::port>> made_;
};

template <class Port>
std::unique_ptr<seam::transport> wrap_with(std::unique_ptr<seam::transport> inner) {
  return std::make_unique<wrapper<Port>>(std::move(inner));
}
std::unique_ptr<seam::transport> wrap_counting(std::unique_ptr<seam::transport> inner) {
  return wrap_with<counting_port>(std::move(inner));
}
std::unique_ptr<seam::transport> wrap_forwarding_counting(std::unique_ptr<seam::transport> inner) {
  return wrap_with<seam::forwarding_port>(wrap_counting(std::move(inner)));
}

constexpr std::uint32_t window = 100;

struct fixture {
  explicit fixture(recording_transport::wrap_fn* wrap)
      : job((recording_transport::wrap = wrap, window)) {
    recording_transport::wrap = nullptr;
    counted = {};
    job.wire->run_length = 4;
  }
  void send(unsigned count) {
    for (am_word number = 0; number < count; ++number)
      REQUIRE(am_ep_request(job.raw, 1, entry<&note>(), number, 0, 0, 0) == AM_OK);
  }
  am_test::four_rank_endpoint job;
};

class lone_port final : public seam::plain_port {
 public:
  lone_port() : plain_port(3, {seam::capability::streams}) { account_.raise_limit(8); }
  void send(std::uint32_t, am_word, am_word, am_word, am_word) noexcept override {}
  am_status send_medium(std::uint32_t, const am_word*, const void*, std::size_t) noexcept override {
    return AM_AGAIN_PAYLOAD;
  }
  am_status send_with_room(std::uint32_t, const am_word*, const void*, std::size_t,
                           seam::answer_place) noexcept override {
    return AM_OK;
  }
  void send_notice(std::uint32_t, const am_word*, void*, std::size_t) noexcept override {}
  void poll_once() noexcept override {}
  std::uint32_t poll_after_send() noexcept override { return 5; }
  void refresh_credits() noexcept override {}
};

}  // namespace

TEST_CASE("unwrapped, four of five requests are in runs and do not check for messages") {
  fixture f(nullptr);
  f.send(50);
  CHECK(f.job.wire->requests.size() == 50);
  CHECK(f.job.wire->in_runs == 40);
  CHECK(f.job.wire->poll_once_calls == 10);
}

TEST_CASE("a wrapper that does nothing adds one call to each call, and makes none of its own") {
  fixture bare(&wrap_counting);
  bare.send(50);
  const calls by_core = counted;
  fixture wrapped(&wrap_forwarding_counting);
  wrapped.send(50);
  CHECK(counted == by_core);
  // Requests are sent singly: one send and one check each.
  CHECK(counted == calls{50, 0, 50, 0});
  CHECK(wrapped.job.wire->requests.size() == 50);
}

TEST_CASE("credits are counted once, however many ports wrap each other") {
  fixture f(&wrap_forwarding_counting);
  f.send(window);
  CHECK(f.job.wire->credits_to(1).free() == 0);
  CHECK(f.job.wire->credits_to(1).sent() == window);
  CHECK(am_ep_try_request(f.job.raw, 1, entry<&note>(), 0, 0, 0, 0) == AM_AGAIN_CREDIT);
  f.job.wire->silent[1] = 1;
  CHECK(am_ep_try_request(f.job.raw, 1, entry<&note>(), 0, 0, 0, 0) == AM_OK);
  am_traffic traffic{};
  REQUIRE(am_ep_stats_with(f.job.raw, 1, &traffic, sizeof traffic) == AM_OK);
  CHECK(traffic.requests == window + 1);
}

TEST_CASE("a medium for which there is no room returns its credit once") {
  fixture f(&wrap_forwarding_counting);
  f.job.wire->payload_status = AM_AGAIN_PAYLOAD;
  const am_handler* const handler = entry<&note>();
  CHECK(am_ep_try_request_medium(f.job.raw, 1, handler, "x", 1, 0, 0, 0, 0) == AM_AGAIN_PAYLOAD);
  CHECK(f.job.wire->credits_to(1).free() == window);
}

TEST_CASE("all ports around one show its account and capabilities; a run is per port") {
  lone_port inner;
  seam::forwarding_port once(inner);
  seam::forwarding_port twice(static_cast<seam::port&>(once));
  CHECK(&twice.credits == &inner.credits);
  CHECK(twice.peer == 3);
  CHECK(twice.streams());

  twice.start_run(twice.poll_after_send());
  CHECK_FALSE(twice.take_from_run());
  CHECK(twice.credits.free() == 8);
  inner.start_run(inner.poll_after_send());
  REQUIRE(inner.take_from_run());
  CHECK(twice.credits.free() == 7);
  CHECK(twice.take_credit());
  CHECK_FALSE(inner.take_from_run());
  CHECK(inner.credits.in_flight() == 2);
}

}  // namespace protocol_forwarding

// What it costs to wrap a transport in one that has nothing to do: one call more for each call, and
// the runs. And there is one account of credits, whichever port is asked for it.
#include "one_of_four.hpp"

#include <libam/seam/forwarding.hpp>

using am_test::entry;
using am_test::recording;
namespace seam = am::detail::seam;

namespace {

void note(am::request_token, am::word) {}

// Calls that core, or a port around it, has made of the port inside.
struct calls {
  unsigned sends = 0;
  unsigned in_runs = 0;
  unsigned looks = 0;
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
  void look() noexcept override {
    ++counted.looks;
    forwarding_port::look();
  }
  std::uint32_t look_in_turn() noexcept override {
    ++counted.looks;
    return forwarding_port::look_in_turn();
  }
  void refresh() noexcept override {
    ++counted.refreshes;
    forwarding_port::refresh();
  }
};

// Every port stands in another one, which does no more than hand on, or counts.
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
std::unique_ptr<seam::transport> around(std::unique_ptr<seam::transport> inner) {
  return std::make_unique<wrapper<Port>>(std::move(inner));
}
std::unique_ptr<seam::transport> counts(std::unique_ptr<seam::transport> inner) {
  return around<counting_port>(std::move(inner));
}
std::unique_ptr<seam::transport> hands_on_what_counts(std::unique_ptr<seam::transport> inner) {
  return around<seam::forwarding_port>(counts(std::move(inner)));
}

constexpr std::uint32_t window = 100;

struct fixture {
  explicit fixture(recording::wrap_fn* wrap) : job((recording::wrap = wrap, window)) {
    recording::wrap = nullptr;
    counted = {};
    job.wire->run = 4;
  }
  void send(unsigned count) {
    for (am_word number = 0; number < count; ++number)
      REQUIRE(am_ep_request(job.raw, 1, entry<&note>(), number, 0, 0, 0) == AM_OK);
  }
  am_test::one_of_four job;
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
  void send_bulk(std::uint32_t, const am_word*, void*, std::size_t) noexcept override {}
  void look() noexcept override {}
  std::uint32_t look_in_turn() noexcept override { return 5; }
  void refresh() noexcept override {}
};

}  // namespace

TEST_CASE("unwrapped, four of five requests go in runs and owe no look") {
  fixture f(nullptr);
  f.send(50);
  CHECK(f.job.wire->requests.size() == 50);
  CHECK(f.job.wire->in_runs == 40);
  CHECK(f.job.wire->looks == 10);
}

TEST_CASE("a wrapper with nothing to do adds one call to each, and no call of its own") {
  fixture bare(&counts);
  bare.send(50);
  const calls by_core = counted;
  fixture wrapped(&hands_on_what_counts);
  wrapped.send(50);
  CHECK(counted == by_core);
  // Requests are sent singly: a send and a look each.
  CHECK(counted == calls{50, 0, 50, 0});
  CHECK(wrapped.job.wire->requests.size() == 50);
}

TEST_CASE("credits are counted once, however many ports they go through") {
  fixture f(&hands_on_what_counts);
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

TEST_CASE("a medium for which there is no room gives its credit back once") {
  fixture f(&hands_on_what_counts);
  f.job.wire->payload_status = AM_AGAIN_PAYLOAD;
  const am_handler* const handler = entry<&note>();
  CHECK(am_ep_try_request_medium(f.job.raw, 1, handler, "x", 1, 0, 0, 0, 0) == AM_AGAIN_PAYLOAD);
  CHECK(f.job.wire->credits_to(1).free() == window);
}

TEST_CASE("all ports around one show its account and what its transport can; the run is its own") {
  lone_port inner;
  seam::forwarding_port once(inner);
  seam::forwarding_port twice(static_cast<seam::port&>(once));
  CHECK(&twice.credits == &inner.credits);
  CHECK(twice.peer == 3);
  CHECK(twice.streams());

  twice.start_run(twice.look_in_turn());
  CHECK_FALSE(twice.take_from_run());
  CHECK(twice.credits.free() == 8);
  inner.start_run(inner.look_in_turn());
  REQUIRE(inner.take_from_run());
  CHECK(twice.credits.free() == 7);
  CHECK(twice.take_credit());
  CHECK_FALSE(inner.take_from_run());
  CHECK(inner.credits.on_their_way() == 2);
}

// The warnings about a peer that does not do its part of a transfer.
#include "../base/capture.hpp"
#include "four_rank_endpoint.hpp"

#include <chrono>
#include <string>

namespace protocol_stalls {

using am_test::entry;
using namespace std::chrono_literals;

namespace seam = am::detail::seam;

namespace {

am::detail::base::settings early_warnings() {
  am::detail::base::settings made;
  made.stall_warn = std::chrono::seconds(1);
  made.outlives_deaths = true;
  return made;
}

void on_got(am::reply_token, void*, std::size_t) {}

struct fixture : am_test::four_rank_endpoint {
  fixture() : four_rank_endpoint(1, early_warnings()) {
    wire->begin_status = seam::transfer_status::under_way;
  }

  void get_from(am_rank peer) {
    REQUIRE(am_ep_get(raw, peer, bytes, bytes, sizeof bytes, entry<on_got>(), 0, 0, 0, 0) == AM_OK);
  }
  // Waits for a warning and returns it; empty: none within this time.
  template <class Step>
  std::string warning_within(std::chrono::nanoseconds limit, Step&& step) {
    struct waiting {
      const am_test::captured_errors errors;
      Step& step;
    };
    waiting here{.errors{}, .step = step};
    const auto has_warned = [](void* arg) -> int {
      auto& one = *static_cast<waiting*>(arg);
      one.step();
      return one.errors.text().empty() ? 0 : 1;
    };
    (void)am_ep_wait_for(raw, has_warned, &here, limit.count());
    return here.errors.text();
  }

  std::byte bytes[8];
};

// Longer than stall_warn, with a margin for a busy machine.
constexpr auto long_enough = 1500ms;
constexpr auto at_most = 30s;

}  // namespace

TEST_CASE_FIXTURE(
    fixture, "a get that a stopped peer delays is reported, though no call waits for the peer") {
  get_from(2);
  CHECK(warning_within(at_most, [] {}) ==
        "am[0]: warn: stall: no progress from rank 2, which has yet to do its part of a "
        "transfer, for 1 s, in wait_for\n");
  wire->end_transfer(0, seam::transfer_status::done);
}

TEST_CASE_FIXTURE(fixture, "gets that end one after the other count as progress") {
  using clock = std::chrono::steady_clock;
  for (unsigned i = 0; i < 200; ++i) get_from(2);
  auto next = clock::now();
  const std::string warnings = warning_within(long_enough, [&] {
    if (clock::now() < next || wire->under_way() == 1) return;
    wire->end_transfer(0, seam::transfer_status::done);
    next = clock::now() + 10ms;
  });
  CHECK(warnings.empty());
  while (wire->under_way() != 0) wire->end_transfer(0, seam::transfer_status::done);
}

TEST_CASE_FIXTURE(
    fixture,
    "of transfers that outlive their peer's port, only those of a lost peer are reported") {
  wire->transfers_outlive_peers = true;
  get_from(2);
  SUBCASE("dead") {
    wire->inject_death(2);
    poll();
    CHECK(warning_within(long_enough, [] {}).empty());
  }
  SUBCASE("lost") {
    wire->inject_loss(2, "the cable is cut");
    poll();
    CHECK(warning_within(at_most, [] {}).find("no progress from rank 2") != std::string::npos);
  }
  REQUIRE(wire->under_way() == 1);
  wire->end_transfer(0, seam::transfer_status::unsupported);
}

}  // namespace protocol_stalls

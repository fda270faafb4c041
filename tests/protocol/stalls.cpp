// What a rank says of a peer that does not do its part of a transfer.
#include "../base/capture.hpp"
#include "one_of_four.hpp"

#include <chrono>
#include <string>

using am_test::entry;
using namespace std::chrono_literals;

namespace seam = am::detail::seam;

namespace {

am::detail::base::settings impatient() {
  am::detail::base::settings made;
  made.stall_warn = std::chrono::seconds(1);
  made.outlives_deaths = true;
  return made;
}

void on_got(am::reply_token, void*, std::size_t) {}

struct fixture : am_test::one_of_four {
  fixture() : one_of_four(1, impatient()) { wire->reaches = seam::reach::under_way; }

  void get_from(am_rank peer) {
    REQUIRE(am_ep_get(raw, peer, bytes, bytes, sizeof bytes, entry<on_got>(), 0, 0, 0, 0) == AM_OK);
  }
  // Waits until something is told, and says what that is; empty: nothing within this time.
  template <class Look>
  std::string told_within(std::chrono::nanoseconds limit, Look&& look) {
    struct waiting {
      const am::test::captured_errors errors;
      Look& look;
    };
    waiting here{.errors{}, .look = look};
    const auto is_told = [](void* arg) -> int {
      auto& one = *static_cast<waiting*>(arg);
      one.look();
      return one.errors.text().empty() ? 0 : 1;
    };
    (void)am_ep_wait_for(raw, is_told, &here, limit.count());
    return here.errors.text();
  }

  std::byte bytes[8];
};

// Longer than stall_warn, and what a busy machine may need.
constexpr auto long_enough = 1500ms;
constexpr auto at_most = 30s;

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "a get that a peer's stop holds up is told, though no peer is waited for") {
  get_from(2);
  CHECK(told_within(at_most, [] {}) ==
        "am[0]: warn: stall: no sign of life from rank 2, which has yet to do its part of a "
        "transfer, for 1 s, in wait_for\n");
  wire->end_transfer(0, seam::reach::done);
}

TEST_CASE_FIXTURE(fixture, "gets that end one after the other are signs of life") {
  using clock = std::chrono::steady_clock;
  for (unsigned i = 0; i < 200; ++i) get_from(2);
  auto next = clock::now();
  const std::string told = told_within(long_enough, [&] {
    if (clock::now() < next || wire->under_way() == 1) return;
    wire->end_transfer(0, seam::reach::done);
    next = clock::now() + 10ms;
  });
  CHECK(told.empty());
  while (wire->under_way() != 0) wire->end_transfer(0, seam::reach::done);
}

TEST_CASE_FIXTURE(fixture,
                  "of transfers that outlive their peer's port those of the lost are told") {
  wire->transfers_outlive_peers = true;
  get_from(2);
  SUBCASE("dead") {
    wire->tell_of_death(2);
    poll();
    CHECK(told_within(long_enough, [] {}).empty());
  }
  SUBCASE("lost") {
    wire->tell_of_loss(2, "the cable is cut");
    poll();
    CHECK(told_within(at_most, [] {}).find("no sign of life from rank 2") != std::string::npos);
  }
  REQUIRE(wire->under_way() == 1);
  wire->end_transfer(0, seam::reach::no_way);
}

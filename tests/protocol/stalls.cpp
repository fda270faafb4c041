// What a rank says of a peer that does not do its part of a transfer.
#include "../base/capture.hpp"
#include "one_of_four.hpp"

#include <chrono>
#include <string>

using am_test::entry;

namespace seam = am::detail::seam;

namespace {

am::detail::base::settings impatient() {
  am::detail::base::settings made;
  made.stall_warn = std::chrono::seconds(1);
  return made;
}

void on_got(am::reply_token, void*, std::size_t) {}

struct fixture : am_test::one_of_four {
  fixture() : one_of_four(1, impatient()) { wire->reaches = seam::reach::under_way; }

  void get_from(am_rank peer) {
    REQUIRE(am_ep_get(raw, peer, bytes, bytes, sizeof bytes, entry<on_got>(), 0, 0, 0, 0) == AM_OK);
  }
  // Waits for longer than stall_warn. Says what was told meanwhile.
  template <class Look>
  std::string told_while(Look&& look) {
    const am::test::captured_errors errors;
    const auto again = [](void* arg) -> int {
      (*static_cast<Look*>(arg))();
      return 0;
    };
    CHECK(am_ep_wait_for(raw, again, &look, 1'500'000'000) == AM_AGAIN_TIME);
    return errors.text();
  }

  std::byte bytes[8];
};

}  // namespace

TEST_CASE_FIXTURE(fixture,
                  "a get that a peer's stop holds up is told, though no peer is waited for") {
  get_from(2);
  const std::string told = told_while([] {});
  CHECK(told.find("stall: no sign of life from rank 2, which has yet to do its part of a transfer, "
                  "for 1 s, in wait") != std::string::npos);
  wire->end_transfer(0, seam::reach::done);
}

TEST_CASE_FIXTURE(fixture, "gets that end one after the other are signs of life") {
  using clock = std::chrono::steady_clock;
  for (unsigned i = 0; i < 200; ++i) get_from(2);
  auto next = clock::now();
  const std::string told = told_while([&] {
    if (clock::now() < next || wire->under_way() == 1) return;
    wire->end_transfer(0, seam::reach::done);
    next = clock::now() + std::chrono::milliseconds(10);
  });
  CHECK(told.empty());
  while (wire->under_way() != 0) wire->end_transfer(0, seam::reach::done);
}

TEST_CASE_FIXTURE(fixture,
                  "nothing is told of the dead, whose transfers a transport has yet to end") {
  wire->transfers_outlive_peers = true;
  get_from(2);
  wire->tell_of_death(2);
  poll();
  REQUIRE(am_ep_deaths(raw) == 1);
  REQUIRE(wire->under_way() == 1);
  CHECK(told_while([] {}).find("stall") == std::string::npos);
  wire->end_transfer(0, seam::reach::no_way);
}

// Gets that begin behind the handler that has asked for them, and are counted until they end.
#include "one_of_four.hpp"

#include <libam/core/convert.hpp>

#include <vector>

using am::detail::seam::reach;
using am_test::entry;
namespace core = am::detail::core;

namespace {

constexpr std::size_t large = AM_MIN_MAX_MEDIUM + 100;

void on_end(am::reply_token, void*, std::size_t) {}
void on_request(am::request_token) {}
void take_back(am_token, const am_returned*, void*) {}

struct fixture : am_test::one_of_four {
  fixture() : one_of_four(4) { am_ep_on_undeliverable(raw, take_back, nullptr); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a get for later is open until it has ended, however that may be") {
  wire->reaches = reach::under_way;
  const std::vector<std::byte> there(large);
  std::vector<std::byte> here(large);
  const am_word words[AM_WORDS] = {};
  const auto open = [&] { return core::of(raw).bulk_calls().gets_for_later(); };
  for (const am_rank from : {1U, 2U, 3U}) {
    REQUIRE(am_ep_try_request(raw, from, entry<on_request>(), 0, 0, 0, 0) == AM_OK);  // contact
    REQUIRE(core::of(raw).bulk_calls().get_later(from, there.data(), here.data(), large,
                                                 entry<on_end>(), words) == AM_OK);
  }
  CHECK(open() == 3);
  poll();
  poll();
  REQUIRE(wire->under_way() == 3);
  wire->end_transfer(0, reach::done);
  CHECK(open() == 2);
  wire->end_transfer(0, reach::bad_here);
  CHECK(open() == 1);
  wire->tell_of_death(3);
  poll();
  poll();
  CHECK(open() == 0);
  // The next call has the memory of one that was counted.
  REQUIRE(am_ep_get(raw, 1, there.data(), here.data(), large, entry<on_end>(), 0, 0, 0, 0) ==
          AM_OK);
  wire->end_transfer(0, reach::done);
  CHECK(open() == 0);
}

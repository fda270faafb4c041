// Gets that begin after the handler that requested them, and are counted until they end.
#include "four_rank_endpoint.hpp"

#include <libam/core/endpoint_handle.hpp>

#include <vector>

namespace protocol_gets_for_later {

using am::detail::seam::transfer_status;
using am_test::entry;
namespace core = am::detail::core;

namespace {

constexpr std::size_t large = AM_MIN_MAX_MEDIUM + 100;

void on_end(am::reply_token, void*, std::size_t) {}
void on_request(am::request_token) {}
void on_undeliverable(am_token, const am_returned*, void*) {}

struct fixture : am_test::four_rank_endpoint {
  fixture() : four_rank_endpoint(4) { am_ep_on_undeliverable(raw, on_undeliverable, nullptr); }
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "a get for later is counted until it has ended, however it ends") {
  wire->begin_status = transfer_status::under_way;
  const std::vector<std::byte> there(large);
  std::vector<std::byte> here(large);
  const am_word words[AM_WORDS] = {};
  const auto open = [&] { return core::endpoint_of(raw).bulk_calls().gets_for_later(); };
  for (const am_rank from : {1U, 2U, 3U}) {
    REQUIRE(am_ep_try_request(raw, from, entry<on_request>(), 0, 0, 0, 0) == AM_OK);  // connects
    REQUIRE(core::endpoint_of(raw).bulk_calls().get_later(from, there.data(), here.data(), large,
                                                          entry<on_end>(), words) == AM_OK);
  }
  CHECK(open() == 3);
  poll();
  poll();
  REQUIRE(wire->under_way() == 3);
  wire->end_transfer(0, transfer_status::done);
  CHECK(open() == 2);
  wire->end_transfer(0, transfer_status::bad_local_address);
  CHECK(open() == 1);
  wire->inject_death(3);
  poll();
  poll();
  CHECK(open() == 0);
  // The next call reuses the memory of a counted one.
  REQUIRE(am_ep_get(raw, 1, there.data(), here.data(), large, entry<on_end>(), 0, 0, 0, 0) ==
          AM_OK);
  wire->end_transfer(0, transfer_status::done);
  CHECK(open() == 0);
}

}  // namespace protocol_gets_for_later

// Gets that this rank answers by shipments, of which a port has one on its way at a time.
#include "one_of_four.hpp"

#include <libam/core/bulk.hpp>
#include <libam/core/bulk_handlers.hpp>

#include <algorithm>
#include <vector>

using am_test::entry;
using am_test::one_of_four;
namespace core = am::detail::core;
using stage = am::detail::seam::shipment::stage;

namespace {

void on_bytes(am::request_token, std::span<const std::byte>) {}

// Rank 2 asks for some bytes here.
struct shipping : one_of_four {
  shipping() : one_of_four(8) { wire->ships = true; }
  std::vector<std::byte> here = std::vector<std::byte>(2 * AM_MIN_MAX_MEDIUM);
  void ask(am_word number) {
    wire->receive_request(2, core::get_handler.id,
                          {number, reinterpret_cast<std::uintptr_t>(here.data()), here.size(), 0});
  }
  [[nodiscard]] std::ptrdiff_t answers() const {
    return std::ranges::count(wire->requests, core::got_handler.id,
                              &am_test::sent_request::handler);
  }
  void store() {
    REQUIRE(am_ep_store(raw, 2, here.data(), here.data(), here.size(), entry<on_bytes>(), 0, 0, 0,
                        0) == AM_OK);
  }
};

}  // namespace

TEST_CASE_FIXTURE(shipping, "a get that is answered counts no more when the next one comes") {
  for (am_word number = 0; number < core::bulk::most_waiting; ++number) ask(number);
  poll();
  poll();
  wire->ends = stage::gone;
  ask(core::bulk::most_waiting);  // in the poll in which the answer to the first one leaves
  poll();
  CHECK(answers() == 1);
}

TEST_CASE_FIXTURE(shipping, "that bytes turned out unreadable is told in the poll that finds it") {
  ask(5);
  poll();
  wire->ends = stage::unreadable;
  CHECK(wire->requests.empty());
  poll();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
}

TEST_CASE_FIXTURE(shipping, "stores one after another do not keep a get waiting") {
  wire->ends = stage::gone;
  ask(5);
  poll();
  for (int i = 0; i < 4; ++i) store();
  CHECK(answers() == 1);
}

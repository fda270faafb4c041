// Gets that this rank answers by puts in a stream.
#include "asked.hpp"

#include <libam/core/bulk.hpp>

#include <algorithm>

using am_test::entry;
namespace core = am::detail::core;
using am::detail::seam::reach;

namespace {

void on_bytes(am::request_token, std::span<const std::byte>) {}

struct streaming : am_test::asked {
  streaming() : asked(8, 2 * AM_MIN_MAX_MEDIUM) { wire->streams = true; }
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

TEST_CASE_FIXTURE(streaming, "a get that is answered counts no more when the next one comes") {
  for (am_word number = 0; number < core::calls::most_asking; ++number) ask(number);
  poll();
  poll();
  wire->ends = reach::done;
  ask(core::calls::most_asking);  // in the poll in which the answer to the first one leaves
  poll();
  CHECK(answers() == 8);  // for so many there were credits
}

TEST_CASE_FIXTURE(streaming, "that bytes turned out unreadable is told in the poll that finds it") {
  ask(5);
  poll();
  wire->ends = reach::bad_here;
  CHECK(wire->requests.empty());
  poll();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
  CHECK(wire->credits_to(wire->requests[0].to).on_their_way() == 1);  // that of the notice is back
}

TEST_CASE_FIXTURE(streaming, "stores one after another do not keep a get waiting") {
  wire->ends = reach::done;
  ask(5);
  for (int i = 0; i < 4; ++i) store();
  CHECK(answers() == 1);
}

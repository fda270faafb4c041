// Gets that this rank answers by puts in a stream.
#include "asked.hpp"

#include <libam/core/convert.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <algorithm>
#include <vector>

using am_test::entry;
namespace core = am::detail::core;
using am::detail::seam::reach;

namespace {

void on_bytes(am::request_token, std::span<const std::byte>) {}

struct streaming : am_test::asked {
  // So many bytes stream, whatever memory they are in.
  streaming() : asked(8, am::detail::wire::most_put_in_messages + 8) { wire->streams = true; }
  [[nodiscard]] std::ptrdiff_t answers() const {
    return std::ranges::count(wire->requests, core::got_handler.id,
                              &am_test::sent_request::handler);
  }
  [[nodiscard]] core::bulk& of_core() const { return core::of(raw).bulk_data(); }
  [[nodiscard]] void* make_segment() const {
    void* made = nullptr;
    REQUIRE(of_core().own.make(here.size(), &made) == AM_OK);
    return made;
  }
  void ask_for(am_word number, void* bytes) const { ask_for(number, bytes, here.size()); }
  void ask_for(am_word number, void* bytes, std::size_t size) const {
    wire->receive_request(2, core::get_handler.id,
                          {number, reinterpret_cast<std::uintptr_t>(bytes), size, 0});
  }
  void store() {
    REQUIRE(am_ep_store(raw, 2, here.data(), here.data(), here.size(), entry<on_bytes>(), 0, 0, 0,
                        0) == AM_OK);
  }
};

}  // namespace

TEST_CASE_FIXTURE(streaming, "a get that is answered counts no more when the next one comes") {
  for (am_word number = 0; number < core::calls::most_asking; ++number) ask(number);
  while (poll() != 0) continue;  // a poll has a budget, and all have to come
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
  CHECK(wire->credits_to(wire->requests[0].to).on_their_way() == 1);
  CHECK(wire->credits_to(wire->requests[0].to).held() == 0);  // that of the notice is back
}

TEST_CASE_FIXTURE(streaming, "what a put finds before it returns is told in the same poll") {
  wire->ends_in_call = reach::bad_here;
  ask(5);
  poll();
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].handler == core::get_failed_handler.id);
  CHECK(wire->requests[0].words[0] == 5);
  wire->ends_in_call = reach::done;
  ask(6);
  poll();
  CHECK(answers() == 1);
  CHECK(wire->under_way() == 0);
}

TEST_CASE_FIXTURE(streaming, "stores one after another do not keep a get waiting") {
  wire->ends = reach::done;
  ask(5);
  for (int i = 0; i < 4; ++i) store();
  CHECK(answers() == 1);
}

TEST_CASE_FIXTURE(streaming,
                  "an answer out of a segment says that its bytes stay, another does not") {
  void* const segment = make_segment();
  ask_for(1, here.data());
  ask_for(2, segment);
  poll();
  CHECK(wire->puts_stay == std::vector<bool>{false, true});
}

TEST_CASE_FIXTURE(streaming, "few bytes that lie in no segment are looked at first") {
  ask_for(1, here.data(), 4000);
  ask_for(2, reinterpret_cast<void*>(std::uintptr_t{1} << 20), 4000);
  poll();
  CHECK(wire->puts_stay.empty());
  CHECK(answers() == 1);
  REQUIRE(wire->requests.size() == 2);
  CHECK(wire->requests[1].handler == core::get_failed_handler.id);
  CHECK(wire->requests[1].words[1] == AM_ARGUMENT_ADDRESS);
}

TEST_CASE_FIXTURE(streaming, "a segment that is freed stays until its bytes are read") {
  void* const segment = make_segment();
  for (am_word number = 0; number < 2; ++number) ask_for(number, segment);
  poll();
  REQUIRE(wire->under_way() == 2);
  of_core().own.free(segment);
  for (const bool last : {false, true}) {
    wire->end_transfer(0, reach::done);
    poll();
    poll();
    CHECK(of_core().own.has_abandoned() == !last);
  }
}

TEST_CASE_FIXTURE(streaming, "of two segments side by side the one stays that is lent") {
  std::vector<std::byte> both(2 * here.size());
  wire->next_segments = {both.data() + here.size(), both.data()};
  void* const above = make_segment();
  void* const below = make_segment();
  ask_for(1, above);
  ask_for(2, below);
  poll();
  REQUIRE(wire->under_way() == 2);
  of_core().own.free(above);
  wire->end_transfer(0, reach::done);
  poll();
  poll();
  CHECK(wire->freed == std::vector<void*>{above});
  of_core().own.free(below);
  CHECK(of_core().own.has_abandoned());
  wire->end_transfer(0, reach::done);
  poll();
  poll();
  CHECK(wire->freed == std::vector<void*>{above, below});
}

TEST_CASE_FIXTURE(streaming, "a segment of which a rank that has died had asked does not stay") {
  void* const segment = make_segment();
  ask_for(1, segment);
  poll();
  REQUIRE(wire->under_way() == 1);
  of_core().own.free(segment);
  CHECK(of_core().own.has_abandoned());
  wire->tell_of_death(2);
  poll();
  poll();
  CHECK_FALSE(of_core().own.has_abandoned());
}

TEST_CASE_FIXTURE(streaming,
                  "an answer has a credit, which nobody owes before its notice is sent") {
  ask(1);
  poll();
  am::detail::seam::sender_credits& credits = wire->credits_to(2);
  CHECK(credits.free() == credits.limit() - 1);
  CHECK(credits.on_their_way() == 0);
  CHECK_FALSE(credits.may_be_silent(1));
  wire->ends = reach::done;
  poll();
  CHECK(credits.free() == credits.limit() - 1);
  CHECK(credits.on_their_way() == 1);
}

TEST_CASE_FIXTURE(streaming, "an answer that has left is owed no more") {
  ask(1);
  poll();
  CHECK(of_core().served.owes());
  wire->ends = reach::done;
  poll();
  poll();
  CHECK_FALSE(of_core().served.owes());
}

// Bytes that a transport moves while core waits, and memory that peers still reach.
#include "one_of_four.hpp"

#include <vector>

using am_test::entry;
using am_test::one_of_four;

namespace {

std::size_t heard = 0;
void on_bytes(am::request_token, std::span<const std::byte> data) { heard += data.size(); }
void on_answer(am::reply_token) {}
void on_asking(am::request_token t) { t.reply<on_answer>(); }

}  // namespace

TEST_CASE("a store under way is waited for at polls, and its notice leaves after its bytes") {
  one_of_four f(2);
  heard = 0;
  std::vector<std::byte> data(100, std::byte{7});
  std::vector<std::byte> place(data.size());
  f.wire->reaches = am::detail::seam::reach::done;
  f.wire->under_way = 5;
  // A request that comes meanwhile is answered.
  f.wire->receive_request(2, entry<on_asking>()->id, {10, 0, 0, 0});
  CHECK(am_ep_store(f.raw, 1, place.data(), data.data(), data.size(), entry<on_bytes>(), 5, 6, 7,
                    8) == AM_OK);
  CHECK(f.wire->polls >= 5);
  CHECK(f.wire->replies.size() == 1);
  CHECK(place == data);
  REQUIRE(f.wire->requests.size() == 1);
  CHECK(f.wire->requests[0].bulk.second == data.size());
  CHECK(f.wire->credits_to(1).free() == 1);
}

TEST_CASE("a transfer under way may turn out to have no way, and goes in messages") {
  one_of_four f(8);
  const std::vector<std::byte> data(2 * AM_MIN_MAX_MEDIUM);
  std::vector<std::byte> place(data.size());
  f.wire->under_way = 3;
  CHECK(am_ep_store(f.raw, 1, place.data(), data.data(), data.size(), entry<on_bytes>(), 5, 6, 7,
                    8) == AM_OK);
  CHECK(f.wire->requests.size() == 2);
  CHECK(f.wire->requests[0].payload.size() == AM_MIN_MAX_MEDIUM);
}

TEST_CASE("a get under way is waited for, and its handler runs at a later poll") {
  one_of_four f(2);
  heard = 0;
  std::vector<std::byte> there(100, std::byte{9});
  std::vector<std::byte> here(there.size());
  f.wire->reaches = am::detail::seam::reach::done;
  f.wire->under_way = 5;
  CHECK(am_ep_get(f.raw, 1, there.data(), here.data(), there.size(), entry<on_bytes>(), 5, 6, 7,
                  8) == AM_OK);
  CHECK(f.wire->polls >= 5);
  CHECK(here == there);
  CHECK(heard == 0);
  CHECK(f.poll() == 1);
  CHECK(heard == there.size());
}

TEST_CASE("a segment is not freed before every peer knows that it goes") {
  one_of_four f(2);
  am_seg* made[3] = {};
  REQUIRE(am_seg_create(f.raw, 4096, &made[0]) == AM_OK);
  void* const address = am_seg_address(made[0]);
  f.wire->still_reached = 2;
  am_seg_destroy(made[0]);
  REQUIRE(am_seg_create(f.raw, 4096, &made[1]) == AM_OK);
  CHECK(f.wire->freed.empty());
  REQUIRE(am_seg_create(f.raw, 4096, &made[2]) == AM_OK);
  CHECK(f.wire->freed == std::vector<void*>{address});
  for (am_seg* one : {made[1], made[2]}) am_seg_destroy(one);
  CHECK(f.wire->freed.size() == 3);
}

// Transfers that are under way while core waits, and memory that peers still use.
#include "four_rank_endpoint.hpp"

#include <vector>

namespace protocol_transfers {

using am_test::entry;
using am_test::four_rank_endpoint;

namespace {

std::size_t received_bytes = 0;
void on_bytes(am::request_token, std::span<const std::byte> data) { received_bytes += data.size(); }
void on_answer(am::reply_token) {}
void replying_handler(am::request_token t) { t.reply<on_answer>(); }

// Every transfer takes five polls.
struct transfer : four_rank_endpoint {
  transfer() : four_rank_endpoint(2) {
    wire->begin_status = am::detail::seam::transfer_status::under_way;
    wire->end_status = am::detail::seam::transfer_status::done;
    wire->polls_until_end = 5;
    received_bytes = 0;
  }
  static constexpr std::size_t bytes = AM_MIN_MAX_MEDIUM + 100;
  std::vector<std::byte> from = std::vector<std::byte>(bytes, std::byte{7});
  std::vector<std::byte> to = std::vector<std::byte>(bytes);
};

// A store of two messages to rank 1.
struct in_messages : four_rank_endpoint {
  in_messages() : four_rank_endpoint(8) {}
  void store() {
    REQUIRE(am_ep_store(raw, 1, place.data(), data.data(), data.size(), entry<on_bytes>(), 5, 6, 7,
                        8) == AM_OK);
  }
  [[nodiscard]] std::uint64_t runs() const {
    std::uint64_t count = 0;
    REQUIRE(am_ep_stats_of(raw, entry<on_bytes>(), &count) == AM_OK);
    return count;
  }
  const std::vector<std::byte> data = std::vector<std::byte>(2 * AM_MIN_MAX_MEDIUM, std::byte{7});
  std::vector<std::byte> place = std::vector<std::byte>(data.size());
};

}  // namespace

TEST_CASE_FIXTURE(transfer, "a store waits at polls, and its notice leaves after its bytes") {
  wire->receive_request(2, entry<replying_handler>()->id, {});  // it is answered meanwhile
  CHECK(am_ep_store(raw, 1, to.data(), from.data(), from.size(), entry<on_bytes>(), 5, 6, 7, 8) ==
        AM_OK);
  CHECK(wire->polls >= 5);
  CHECK(wire->replies.size() == 1);
  CHECK(to == from);
  REQUIRE(wire->requests.size() == 1);
  CHECK(wire->requests[0].bulk.second == from.size());
  CHECK(wire->credits_to(1).free() == 1);
}

TEST_CASE_FIXTURE(in_messages,
                  "a transfer under way that the transport gives up goes in messages") {
  wire->begin_status = am::detail::seam::transfer_status::under_way;
  wire->end_status = am::detail::seam::transfer_status::unsupported;
  wire->polls_until_end = 3;
  store();
  CHECK(wire->requests.size() == 2);
  CHECK(wire->requests[0].payload.size() == AM_MIN_MAX_MEDIUM);
}

TEST_CASE_FIXTURE(
    in_messages, "a store in messages runs its handler once, after its last bytes, and counts it") {
  store();
  received_bytes = 0;
  for (const am_test::sent_request& one : wire->requests) {
    CHECK(runs() == 0);
    wire->receive_request(1, one.handler, one.words, one.payload);
    poll();
  }
  CHECK(received_bytes == data.size());
  CHECK(place == data);
  CHECK(runs() == 1);
}

TEST_CASE_FIXTURE(transfer, "a get returns at once, and its handler runs when its bytes are here") {
  CHECK(am_ep_get(raw, 1, from.data(), to.data(), from.size(), entry<on_bytes>(), 5, 6, 7, 8) ==
        AM_OK);
  CHECK(wire->polls == 0);
  for (int i = 0; i < 4; ++i) CHECK(poll() == 0);
  CHECK(received_bytes == 0);
  poll();
  CHECK(to == from);
  CHECK(poll() == 1);
  CHECK(received_bytes == from.size());
}

TEST_CASE("a segment is not freed before every peer has acknowledged it") {
  four_rank_endpoint f(2);
  am_seg* made[3] = {};
  REQUIRE(am_seg_create(f.raw, 4096, &made[0]) == AM_OK);
  void* const address = am_seg_address(made[0]);
  f.wire->deregister_refusals = 2;
  am_seg_destroy(made[0]);
  REQUIRE(am_seg_create(f.raw, 4096, &made[1]) == AM_OK);
  CHECK(f.wire->freed.empty());
  REQUIRE(am_seg_create(f.raw, 4096, &made[2]) == AM_OK);
  CHECK(f.wire->freed == std::vector<void*>{address});
  for (am_seg* one : {made[1], made[2]}) am_seg_destroy(one);
  CHECK(f.wire->freed.size() == 3);
}

TEST_CASE("a segment that another rank could not make is freed") {
  four_rank_endpoint f(2);
  f.job->others_put(2, "all_segments.0", {});
  am_seg* made = nullptr;
  CHECK(am_seg_create_all(f.raw, 4096, &made) == AM_RESOURCE_SPACE);
  CHECK(made == nullptr);
  CHECK(f.wire->freed.size() == 1);
}

}  // namespace protocol_transfers

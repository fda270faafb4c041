// The memory of this rank that transports may write directly.
#include "four_rank_endpoint.hpp"

#include <libam/core/endpoint_handle.hpp>
#include <libam/core/library_handlers.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <vector>

namespace protocol_known_memory {

using am_test::entry;
namespace core = am::detail::core;

namespace {

constexpr std::size_t most_known = am::detail::wire::most_eager_bytes;
void on_end(am::reply_token, void*, std::size_t) {}

struct getting : am_test::four_rank_endpoint {
  using four_rank_endpoint::four_rank_endpoint;
  std::vector<std::byte> there = std::vector<std::byte>(100);
};

}  // namespace

TEST_CASE(
    "memory is known as mapped during a get whose bytes come as in a message, and not after it") {
  getting f(8);
  std::vector<std::byte> place(300);
  const auto known = [&](am_rank rank, std::size_t at, std::size_t bytes) {
    return core::endpoint_of(f.raw).bulk().is_known_mapped(rank, place.data() + at, bytes);
  };
  const auto request_get = [&](std::size_t at) {
    REQUIRE(am_ep_get(f.raw, 1, f.there.data(), place.data() + at, 100, entry<on_end>(), 0, 0, 0,
                      0) == AM_OK);
  };
  const auto receive_answer = [&](am_word number) {
    f.wire->receive_request(1, core::got_handler.id, {number, 0, 0, 0},
                            std::vector<std::byte>(100));
    f.poll();
  };
  CHECK_FALSE(known(1, 0, 100));
  for (const std::size_t at : {0, 100, 200}) request_get(at);
  for (const std::size_t at : {0, 100, 200}) CHECK(known(1, at, 100));
  CHECK(known(1, 210, 90));
  CHECK_FALSE(known(1, 210, 91));
  CHECK_FALSE(known(2, 0, 100));
  receive_answer(1);  // out of order
  CHECK_FALSE(known(1, 100, 100));
  receive_answer(2);
  CHECK_FALSE(known(1, 200, 100));
  CHECK(known(1, 0, 100));
  request_get(200);
  CHECK(known(1, 200, 100));
  receive_answer(0);
  CHECK_FALSE(known(1, 0, 100));
  std::vector<std::byte> much(most_known + 1);
  REQUIRE(am_ep_get(f.raw, 1, f.there.data(), much.data(), much.size(), entry<on_end>(), 0, 0, 0,
                    0) == AM_OK);
  CHECK_FALSE(core::endpoint_of(f.raw).bulk().is_known_mapped(1, much.data(), 1));
}

}  // namespace protocol_known_memory

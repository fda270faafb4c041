// Which memory of this rank transports may write to themselves.
#include "one_of_four.hpp"

#include <libam/core/bulk_handlers.hpp>
#include <libam/core/convert.hpp>
#include <libam/wire/payload_sizes.hpp>

#include <vector>

using am_test::entry;
namespace core = am::detail::core;

namespace {

constexpr std::size_t most_known = am::detail::wire::most_put_in_messages;
void on_end(am::reply_token, void*, std::size_t) {}

struct getting : am_test::one_of_four {
  using one_of_four::one_of_four;
  std::vector<std::byte> there = std::vector<std::byte>(100);
};

}  // namespace

TEST_CASE("memory is known where a get that asks puts as much as a message has, while it does") {
  getting f(8);
  std::vector<std::byte> place(300);
  const auto known = [&](am_rank rank, std::size_t at, std::size_t bytes) {
    return core::of(f.raw).bulk_data().expects(rank, place.data() + at, bytes);
  };
  const auto ask = [&](std::size_t at) {
    REQUIRE(am_ep_get(f.raw, 1, f.there.data(), place.data() + at, 100, entry<on_end>(), 0, 0, 0,
                      0) == AM_OK);
  };
  const auto come = [&](am_word number) {
    f.wire->receive_request(1, core::got_handler.id, {number, 0, 0, 0},
                            std::vector<std::byte>(100));
    f.poll();
  };
  CHECK_FALSE(known(1, 0, 100));
  for (const std::size_t at : {0, 100, 200}) ask(at);
  for (const std::size_t at : {0, 100, 200}) CHECK(known(1, at, 100));
  CHECK(known(1, 210, 90));
  CHECK_FALSE(known(1, 210, 91));
  CHECK_FALSE(known(2, 0, 100));
  come(1);  // not in their order
  CHECK_FALSE(known(1, 100, 100));
  come(2);
  CHECK_FALSE(known(1, 200, 100));
  CHECK(known(1, 0, 100));
  ask(200);
  CHECK(known(1, 200, 100));
  come(0);
  CHECK_FALSE(known(1, 0, 100));
  std::vector<std::byte> much(most_known + 1);
  REQUIRE(am_ep_get(f.raw, 1, f.there.data(), much.data(), much.size(), entry<on_end>(), 0, 0, 0,
                    0) == AM_OK);
  CHECK_FALSE(core::of(f.raw).bulk_data().expects(1, much.data(), 1));
}

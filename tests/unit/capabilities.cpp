// The set of a transport's capabilities: each one is distinct from every other.
#include <libam/seam/capabilities.hpp>

#include <doctest/doctest.h>

namespace unit_capabilities {

using am::detail::seam::capabilities;
using am::detail::seam::capability;

namespace {

constexpr capability all[] = {capability::accepts_unsolicited, capability::segments,
                              capability::network, capability::streams, capability::wakes};

}  // namespace

static_assert(capabilities{capability::streams}.has(capability::streams));
static_assert(!capabilities{}.has(capability::streams));

TEST_CASE("a set has the capabilities that it was made of and no other") {
  for (const capability one : all)
    for (const capability other : all) {
      CHECK(capabilities{one}.has(other) == (one == other));
      CHECK(capabilities{one, other}.has(one));
      CHECK(capabilities{one, other}.has(other));
    }
}

TEST_CASE("with() adds a capability if its flag is true, and never removes one") {
  for (const capability one : all)
    for (const capability other : all) {
      const capabilities word{one};
      CHECK(word.with(other, true) == capabilities{one, other});
      CHECK(word.with(other, false) == word);
    }
}

}  // namespace unit_capabilities

// The protocol that murphi explores.
#include "../../apps/common/murphi_explorer.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace apps::murphi;

namespace {

std::vector<machine> successors(const machine& of, unsigned values) {
  std::vector<machine> out;
  const auto on_next = [&](const machine& next) { out.push_back(next); };
  rules(of, values, on_next).fire_all();
  return out;
}

}  // namespace

TEST_CASE("at first each cache may ask for a copy to read or to write") {
  const auto next = successors({}, 2);
  REQUIRE(next.size() == 2 * caches);
  CHECK(next[0].all[0].asked == get_shared);
  CHECK(next[1].all[0].asked == get_modified);
}

TEST_CASE("a state unpacks to what was packed") {
  machine m;
  m.all[1].copy = modified;
  m.all[1].value = most_values - 1;
  m.all[2].ordered = invalidate;
  m.all[2].has_acknowledged = true;
  m.all[2].acknowledged_value = 5;
  m.serving = get_modified;
  m.client = 2;
  m.is_granted = true;
  m.written = most_values - 1;
  const machine again = unpacked(packed(m));
  CHECK(again.all[1].copy == modified);
  CHECK(again.all[1].value == most_values - 1);
  CHECK(again.all[2].ordered == invalidate);
  CHECK(again.all[2].has_acknowledged);
  CHECK(again.all[2].acknowledged_value == 5);
  CHECK(again.serving == get_modified);
  CHECK(again.client == 2);
  CHECK(again.is_granted);
  CHECK(again.written == most_values - 1);
  CHECK(packed(again) == packed(m));
  CHECK(packed(machine{}) != state{});
}

TEST_CASE("two writers, a writer beside a reader, and an old value are not coherent") {
  machine m;
  CHECK(is_coherent(m));
  m.all[0].copy = shared;
  m.all[1].copy = shared;
  CHECK(is_coherent(m));
  m.all[1].copy = modified;
  CHECK_FALSE(is_coherent(m));
  m.all[0].copy = modified;
  CHECK_FALSE(is_coherent(m));
  m.all[0].copy = invalid;
  m.is_granted = true;
  CHECK(is_coherent(m));
  m.written = 1;
  CHECK_FALSE(is_coherent(m));  // the writer has another value
  m.all[1].value = 1;
  CHECK(is_coherent(m));
  m.is_granted = false;
  CHECK_FALSE(is_coherent(m));  // the memory has another value
}

TEST_CASE("the number of states is that of the formula") {
  for (const unsigned values : {1U, 2U, 3U, 5U}) {
    const findings found = explored_serially(values, 1);
    CHECK(found.states == states_with(values));
    CHECK(found.faults == 0);
    CHECK(found.levels > 20);
  }
}

TEST_CASE("the model is the largest with no more states than asked for") {
  CHECK(values_within(1) == 1);
  CHECK(values_within(states_with(7) - 1) == 6);
  CHECK(values_within(states_with(7)) == 7);
  CHECK(values_within(~std::size_t{0}) == most_values);
}

// The lists and queues of the matcher, with entries that are added again, as those of requests are.
#include <am/detail/messages_match.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace messages_lists {
namespace {

using namespace am::detail::messages;

std::vector<const posted*> entries_of(const ordered_list<posted>& list) {
  std::vector<const posted*> out;
  for (const posted* one = list.first(); one != nullptr; one = ordered_list<posted>::after(*one))
    out.push_back(one);
  return out;
}

}  // namespace

TEST_CASE("a list has its order, whatever is added in front or removed") {
  ordered_list<posted> list;
  std::array<posted, 4> all;
  auto& [a, b, c, d] = all;
  list.add_front(b);
  list.add(c);
  list.add_front(a);
  list.add(d);
  CHECK(entries_of(list) == std::vector<const posted*>{&a, &b, &c, &d});
  list.remove(c);
  CHECK(entries_of(list) == std::vector<const posted*>{&a, &b, &d});
  list.remove(d);
  list.remove(a);
  CHECK(entries_of(list) == std::vector<const posted*>{&b});
  list.add(a);
  CHECK(entries_of(list) == std::vector<const posted*>{&b, &a});
  list.remove(b);
  list.remove(a);
  CHECK(list.first() == nullptr);
  list.add(d);
  CHECK(entries_of(list) == std::vector<const posted*>{&d});
}

TEST_CASE("an entry that has left a queue may be added again") {
  keyed_queues<posted> queues;
  std::array<posted, 3> all;
  auto& [a, b, c] = all;
  for (posted& one : all) queues.add(one);
  queues.remove(a);
  queues.add(a);
  for (posted* const expected : {&b, &c, &a}) {
    posted* const first = queues.first(0);
    REQUIRE(first == expected);
    queues.remove(*first);
  }
  REQUIRE(queues.first(0) == nullptr);
  // Alone, and of another key.
  a.key = 5;
  queues.add(a);
  CHECK(queues.first(0) == nullptr);
  REQUIRE(queues.first(5) == &a);
  queues.remove(a);
  CHECK(queues.first(5) == nullptr);
}

}  // namespace messages_lists

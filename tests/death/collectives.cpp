// Collectives that a dead rank is of, or might be.
#include "member.hpp"

#include <functional>
#include <map>
#include <vector>

namespace {

// In a team of all, in one that the dead rank is of, and in one that it is not of.
template <class Collective>
void collective(am::endpoint& ep, Collective&& call) {
  am::team all(ep);
  am::team dead_ones = all.split(ep.rank() < 3 ? 0 : 1);
  if (is_me(ep)) die_later();
  EXPECT(is_dead([&] {
    for (;;) call(all);
  }));
  EXPECT(is_dead([&] { all.barrier(); }));
  const bool bereaved = ep.rank() < 3;
  EXPECT(bereaved == is_dead([&] { call(dead_ones); }));
  EXPECT(is_dead([&] { am::team again(ep); }));
  await_death(ep);
  EXPECT(now.returned == 0);
}

}  // namespace

void collectives(am::endpoint& ep, const std::string& which) {
  std::vector<int> values(5000, 1);
  std::vector<int> parts(ep.ranks() * 10, 1);
  const auto sum = std::plus<>();
  const std::map<std::string, std::function<void(am::team&)>> calls{
      {"barrier", [](am::team& t) { t.barrier(); }},
      {"broadcast",
       [&](am::team& t) {
         t.broadcast(0, values);
         t.broadcast(1, values);
       }},
      {"reduce",
       [&](am::team& t) {
         t.reduce(0, values, sum);
         t.reduce(1, values, sum);
       }},
      {"all_reduce", [&](am::team& t) { (void)t.all_reduce(1, sum); }},
      {"scan", [&](am::team& t) { t.scan(values, sum); }},
      {"all_gather", [&](am::team& t) { (void)t.all_gather(1); }},
      {"all_to_all",
       [&](am::team& t) {
         std::vector<int> out(t.ranks() * 10, 1);
         std::vector<int> in(out.size());
         t.all_to_all(out, in);
       }},
      {"split", [](am::team& t) { (void)t.split(0); }},
  };
  collective(ep, calls.at(which));
}

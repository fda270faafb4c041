// Collectives of teams that have a dead member, or may have one.
#include "member.hpp"

#include <am/team.h>

#include <functional>
#include <map>
#include <vector>

namespace {

// In a team of all ranks, in one with the dead rank, and in one without it.
template <class Collective>
void collective(am::endpoint& ep, Collective&& call) {
  am::team all(ep);
  am::team dead_ones = all.split(ep.rank() < 3 ? 0 : 1);
  if (is_victim(ep)) die_later();
  EXPECT(is_dead([&] {
    for (;;) call(all);
  }));
  EXPECT(is_dead([&] { all.barrier(); }));
  const bool with_dead_member = ep.rank() < 3;
  EXPECT(with_dead_member == is_dead([&] { call(dead_ones); }));
  EXPECT(is_dead([&] { am::team again(ep); }));
  await_death(ep);
  EXPECT(counts.returned == 0);
}

// The same for the calls of team.h, over all ranks; `late`: the first one is made after the death.
void collective_in_c(am::endpoint& ep, bool late, const std::function<am_status()>& call) {
  if (is_victim(ep)) die_later();
  if (late) await_death(ep);
  am_status said = AM_OK;
  while (said == AM_OK) said = call();
  EXPECT(said == AM_PEER_DEAD);
  EXPECT(call() == AM_PEER_DEAD);
  EXPECT(am_ep_barrier(ep.raw()) == AM_PEER_DEAD);
  await_death(ep);
  EXPECT(counts.returned == 0);
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
  std::vector<double> doubles(5000, 1);
  const auto broadcast = [&](am_rank root) {
    return am_ep_broadcast(ep.raw(), root, doubles.data(), 5000 * sizeof(double));
  };
  const std::map<std::string, std::function<am_status()>> calls_in_c{
      {"am_ep_barrier", [&] { return am_ep_barrier(ep.raw()); }},
      {"am_ep_broadcast",
       [&] {
         const am_status first = broadcast(0);
         return first == AM_OK ? broadcast(1) : first;
       }},
      {"am_ep_all_reduce",
       [&] { return am_ep_all_reduce(ep.raw(), doubles.data(), 5000, AM_DOUBLE, AM_SUM); }},
  };
  const bool late = which.starts_with("late ");
  const auto in_c = calls_in_c.find(late ? which.substr(5) : which);
  if (in_c != calls_in_c.end()) return collective_in_c(ep, late, in_c->second);
  collective(ep, calls.at(which));
}

// How all ranks of a team learn one clock.
//
// Ranks whose clocks read one counter form a group. Its first rank learns for all of it; each of
// the others pings the first one, and no answer may contradict that the counter is one. The first
// ranks learn as in HCA3: in each round those that have the clock teach as many others.
#pragma once

#include <am/detail/clock_counter.hpp>
#include <am/detail/clock_sync.hpp>
#include <am/detail/of_endpoint.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace am::detail {

/// The clocks of an endpoint, by the number of their team, which no other team gets. They stay, so
/// that a rank that is done with its team still teaches.
template <class Source>
struct clock_registry {
  explicit clock_registry(am_ep*) noexcept {}

  std::map<std::uint32_t, std::unique_ptr<clock_sync<Source>>> of_team;
};

template <class Source>
clock_sync<Source>& clock_sync_of(am_ep* ep, std::uint32_t team) {
  auto& all = of_endpoint<clock_registry<Source>>(ep).of_team;
  const auto found = all.find(team);
  if (found == all.end()) throw error(AM_ARGUMENT_SIZE, "this team has no global clock");
  return *found->second;
}

/// What each rank says of its clock.
struct clock_card {
  std::uint64_t counter;  // its id, or 0
  clock_scale scale;
};

/// The first rank with the counter of rank `me`.
inline rank_id first_of_counter(const std::vector<clock_card>& cards, rank_id me) noexcept {
  rank_id first = 0;
  while (first < me && cards[first].counter != cards[me].counter) ++first;
  return cards[me].counter == 0 ? me : first;
}

/// Each rank gets its group, by the group's first rank.
template <class Team, class Source>
std::vector<rank_id> form_groups(Team& team, clock_sync<Source>& sync) {
  const rank_id me = team.rank();
  const auto cards = team.all_gather(clock_card{counter_id(sync.source()), sync.scale()});
  const rank_id first = first_of_counter(cards, me);
  const bool has_joined = first != me && sync.join(team.job_rank(first), cards[first].scale);
  return team.all_gather(has_joined ? first : me);
}

/// Collective: returns when every rank has the clock.
template <class Team, class Source>
void learn_clock(Team& team, clock_sync<Source>& sync) {
  const rank_id me = team.rank();
  if (me == 0) sync.set_is_known();
  const std::vector<rank_id> group_of = form_groups(team, sync);
  std::vector<rank_id> firsts;
  for (rank_id i = 0; i < team.ranks(); ++i)
    if (group_of[i] == i) firsts.push_back(i);

  const auto place =
      static_cast<std::size_t>(std::find(firsts.begin(), firsts.end(), me) - firsts.begin());
  for (std::size_t taught = 1; taught < firsts.size(); taught *= 2) {
    const bool learns = place < firsts.size() && taught <= place && place < 2 * taught;
    if (learns) sync.learn_from(team.job_rank(firsts[place - taught]));
    team.barrier();
  }
  if (group_of[me] != me) sync.copy_model();
  sync.set_is_one(firsts.size() == 1);
  team.barrier();
}

/// Learns the clock of a team anew. If that fails the team has the one before.
template <class Team, class Source>
const basic_global_clock<Source>& learn_anew(Team& team, am_ep* ep, std::uint32_t number,
                                             const Source& source) {
  std::unique_ptr<clock_sync<Source>>& place =
      of_endpoint<clock_registry<Source>>(ep).of_team[number];
  if (place != nullptr && place->is_asking())
    throw error(AM_USAGE_IN_HANDLER,
                "global_clock() inside a posted function that runs in a refresh of the same team: "
                "set a flag and act on it after that");
  const auto before = place == nullptr ? 0 : place->learnt_before() + 1;
  auto made =
      std::make_unique<clock_sync<Source>>(ep, number, static_cast<std::uint16_t>(before), source);
  std::swap(place, made);
  try {
    learn_clock(team, *place);
  } catch (...) {
    if (made != nullptr) std::swap(place, made);
    throw;
  }
  return place->clock();
}

}  // namespace am::detail

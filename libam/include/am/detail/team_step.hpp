// The steps of which every collective consists. A step moves at most one piece from any rank to any
// other; larger data takes several. The rule that bounds the run-ahead is in this file, too.
#pragma once

#include <am/team.h>
#include <am/trace.h>
#include <am/detail/team_registry.hpp>
#include <am/detail/team_tree.hpp>

#include <algorithm>
#include <vector>

namespace am::detail {

/// A rank's state in a team.
struct team_state {
  team_state(am_ep* endpoint, const team_handlers& of_team, std::uint32_t number,
             std::vector<rank_id> all, rank_id mine)
      : ep(endpoint),
        handlers(of_team),
        registry(team_registry_of(endpoint)),
        channel(registry.channel(number)),
        team(number),
        members(std::move(all)),
        me(mine) {}
  team_state(const team_state&) = delete;
  team_state& operator=(const team_state&) = delete;
  ~team_state() { registry.close(team); }

  [[nodiscard]] rank_id ranks() const noexcept { return static_cast<rank_id>(members.size()); }
  void check_problem() const {
    const std::string& line = channel.problem();
    if (!line.empty()) throw error(AM_ARGUMENT_SIZE, line.c_str());
  }
  /// Has a member died, or is it lost? Called in every round of a wait, so it compares a count
  /// first.
  [[nodiscard]] bool has_dead_member() {
    const rank_id deaths = am_ep_deaths(ep);
    if (deaths == deaths_known) return dead_member != no_rank;
    deaths_known = deaths;
    for (const rank_id member : members) {
      const am_status status = am_ep_fence(ep, member);
      if (status == am_status{}) continue;
      dead_member = member;
      dead_reason = status;
    }
    return dead_member != no_rank;
  }
  void check_members() {
    if (!has_dead_member()) return;
    const auto line = "rank " + std::to_string(dead_member) +
                      " of the job, a member of this team, " +
                      (dead_reason == AM_PEER_DEAD ? "has died" : "is lost");
    throw error(dead_reason, line.c_str());
  }
  /// The most bytes of one message.
  [[nodiscard]] std::size_t piece() const noexcept { return am_ep_max_medium(ep); }

  am_ep* const ep;
  const team_handlers handlers;
  team_registry& registry;
  team_channel& channel;
  const std::uint32_t team;
  const std::vector<rank_id> members;  // job ranks, in the team's order
  const rank_id me;
  std::uint64_t traced_since = 0;  // the collective that runs; 0: there is no trace
  std::size_t run_ahead = 0;       // bytes that a rank may have been sent since the last barrier

  static constexpr rank_id no_rank = ~rank_id{0};
  rank_id deaths_known = 0;
  rank_id dead_member = no_rank;
  am_status dead_reason{};
};

/// Refuses a collective in a handler, on another thread, of an endpoint that has left.
inline void check_team_call(am_ep* ep) {
  check(am_ep_wait(
      ep, [](void*) { return 1; }, nullptr));
}

/// Before the first step of a collective: checks that it may be called and that the team works.
inline void team_begin(team_state& state) {
  check_team_call(state.ep);
  if (state.channel.in_step())
    throw error(AM_USAGE_IN_HANDLER,
                "a collective inside a posted function that runs in another one of the same team: "
                "set a flag and act on it after that");
  state.check_problem();
  state.check_members();
  state.channel.reset_depth();
  state.traced_since = am_trace_begin();
}
/// After the last step: sends what waits, for this rank may now compute for long.
inline void team_finish(team_state& state, const char* call, std::size_t bytes) {
  check(am_ep_flush(state.ep));
  if (state.traced_since != 0) am_trace_end_collective(state.traced_since, call, bytes);
}

/// All ranks of the job.
inline std::vector<rank_id> team_of_all(am_ep* ep) {
  std::vector<rank_id> all(am_ep_ranks(ep));
  for (rank_id i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

class team_step {
 public:
  team_step(team_state& state, team_call call) noexcept : state_(state) {
    state_.channel.begin_step(call);
  }
  team_step(const team_step&) = delete;
  team_step& operator=(const team_step&) = delete;
  ~team_step() { state_.channel.end_step(); }

  /// One piece, to or from a rank of the team; expected bytes have come after wait_all().
  void send(rank_id to, const std::byte* data, std::size_t bytes) {
    const auto header = state_.channel.header(state_.team, static_cast<std::uint32_t>(bytes));
    send_team_message(state_.ep, state_.handlers, state_.members[to], header, data);
    ++state_.channel.counts.sent;
  }
  void expect(rank_id from, std::byte* where, std::size_t bytes) {
    state_.channel.expect(state_.members[from], where, static_cast<std::uint32_t>(bytes));
  }
  void wait_all() {
    check(am_ep_wait(state_.ep, &team_step::is_over, &state_));
    state_.check_problem();
    if (!state_.channel.all_received()) state_.check_members();
    state_.channel.update_depth();
  }

  /// The same for values that must stay together, though one may be larger than a piece.
  void send_whole(rank_id to, const std::byte* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += state_.piece())
      send(to, data + at, std::min(state_.piece(), bytes - at));
  }
  void receive_whole(rank_id from, std::byte* where, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += state_.piece()) {
      expect(from, where + at, std::min(state_.piece(), bytes - at));
      wait_all();
    }
  }

 private:
  static int is_over(void* arg) {
    auto& state = *static_cast<team_state*>(arg);
    return state.channel.all_received() || state.has_dead_member() ? 1 : 0;
  }

  team_state& state_;
};

/// Dissemination: in round k every rank sends to the one 2^k further, and receives from the one 2^k
/// before. No rank returns before every rank has called it.
inline void team_barrier(team_state& state) {
  const rank_id n = state.ranks();
  team_step step(state, team_call::barrier);
  std::byte nothing{};
  state.run_ahead = 0;
  if (n > 2 && n <= am_ep_direct_barrier_ranks(state.ep)) {
    for (rank_id i = 1; i < n; ++i) step.expect((state.me + n - i) % n, &nothing, 0);
    for (rank_id i = 1; i < n; ++i) step.send((state.me + i) % n, &nothing, 0);
    return step.wait_all();
  }
  for (rank_id distance = 1; distance < n; distance *= 2) {
    step.expect((state.me + n - distance) % n, &nothing, 0);
    step.send((state.me + distance) % n, &nothing, 0);
    step.wait_all();
  }
}

/// The most bytes that a rank may be sent in the steps between two barriers: 1 MiB.
inline constexpr std::size_t team_max_run_ahead = 1048576;

/// The rule that bounds the run-ahead, before each step in which a rank gets at most `messages` of
/// `bytes`: a barrier, if that would be too much since the last one. All ranks count the same, so
/// they agree without a message.
inline void bound_run_ahead(team_state& state, std::size_t messages, std::size_t bytes) {
  const std::size_t pieces = (bytes + state.piece() - 1) / state.piece();
  const std::size_t weight = messages * (bytes + pieces * team_overhead);
  if (state.run_ahead + weight > team_max_run_ahead) {
    team_barrier(state);
    ++state.channel.counts.barriers;
  }
  state.run_ahead += weight;
}

}  // namespace am::detail

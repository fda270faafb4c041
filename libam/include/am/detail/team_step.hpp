// Steps: what every collective is made of. A step moves at most one piece from any rank to any
// other; larger data takes several. This file also holds the rule that bounds the run-ahead.
#pragma once

#include <am/detail/team_board.hpp>
#include <am/detail/team_tree.hpp>

#include <algorithm>
#include <vector>

namespace am::detail {

/// A rank's place in a team.
struct team_place {
  team_place(am_ep* endpoint, const team_handlers& of_team, std::uint32_t number,
             std::vector<rank_id> all, rank_id mine)
      : ep(endpoint),
        handlers(of_team),
        board(team_board_of(endpoint)),
        channel(board.channel(number)),
        team(number),
        members(std::move(all)),
        me(mine) {}
  team_place(const team_place&) = delete;
  team_place& operator=(const team_place&) = delete;
  ~team_place() { board.close(team); }

  [[nodiscard]] rank_id ranks() const noexcept { return static_cast<rank_id>(members.size()); }
  void check_trouble() const {
    const std::string& line = channel.trouble();
    if (!line.empty()) throw error(AM_ARGUMENT_SIZE, line.c_str());
  }
  /// Has a member died, or is it lost? Asked in every turn of a wait, so at first it only looks at
  /// a count.
  [[nodiscard]] bool bereaved() {
    const rank_id deaths = am_ep_deaths(ep);
    if (deaths == deaths_known) return dead_member != nobody;
    deaths_known = deaths;
    for (const rank_id member : members) {
      const am_status status = am_ep_fence(ep, member);
      if (status == am_status{}) continue;
      dead_member = member;
      dead_reason = status;
    }
    return dead_member != nobody;
  }
  void check_members() {
    if (!bereaved()) return;
    const auto line = "rank " + std::to_string(dead_member) +
                      " of the job, a member of this team, " +
                      (dead_reason == AM_PEER_DEAD ? "has died" : "is lost");
    throw error(dead_reason, line.c_str());
  }
  /// The most bytes that one message takes.
  [[nodiscard]] std::size_t piece() const noexcept { return am_ep_max_medium(ep); }

  am_ep* const ep;
  const team_handlers handlers;
  team_board& board;
  team_channel& channel;
  const std::uint32_t team;
  const std::vector<rank_id> members;  // job ranks, in the team's order
  const rank_id me;
  std::size_t ahead = 0;  // what a rank may have been sent since the last barrier, in bytes

  static constexpr rank_id nobody = ~rank_id{0};
  rank_id deaths_known = 0;
  rank_id dead_member = nobody;
  am_status dead_reason{};
};

/// Refuses a collective in a handler, on another thread, of an endpoint that has left.
inline void check_team_call(am_ep* ep) {
  check(am_ep_wait(
      ep, [](void*) { return 1; }, nullptr));
}

/// Before the first step of a collective: may it be called, and can it still end well?
inline void team_begin(team_place& place) {
  check_team_call(place.ep);
  if (place.channel.in_step())
    throw error(AM_USAGE_IN_HANDLER,
                "a collective inside a posted function that runs in another one of the same team: "
                "set a flag and act on it after that");
  place.check_trouble();
  place.check_members();
  place.channel.count_depth_anew();
}
/// Behind its last: what was sent leaves, though this rank may now compute for long.
inline void team_finish(team_place& place) { check(am_ep_flush(place.ep)); }

/// All ranks of the job.
inline std::vector<rank_id> team_of_all(am_ep* ep) {
  std::vector<rank_id> all(am_ep_ranks(ep));
  for (rank_id i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

class team_step {
 public:
  team_step(team_place& place, team_call call) noexcept : place_(place) {
    place_.channel.begin(call);
  }
  team_step(const team_step&) = delete;
  team_step& operator=(const team_step&) = delete;
  ~team_step() { place_.channel.forget(); }

  /// One piece, to or from a rank of the team; expected bytes have landed after settle().
  void send(rank_id to, const std::byte* data, std::size_t bytes) {
    const auto header = place_.channel.header(place_.team, static_cast<std::uint32_t>(bytes));
    send_team_message(place_.ep, place_.handlers, place_.members[to], header, data);
    ++place_.channel.counts.sent;
  }
  void expect(rank_id from, std::byte* where, std::size_t bytes) {
    place_.channel.expect(place_.members[from], where, static_cast<std::uint32_t>(bytes));
  }
  void settle() {
    check(am_ep_wait(place_.ep, &team_step::over, &place_));
    place_.check_trouble();
    if (!place_.channel.settled()) place_.check_members();
    place_.channel.count_depth();
  }

  /// The same for values that must stay together, though one may be larger than a piece.
  void send_whole(rank_id to, const std::byte* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += place_.piece())
      send(to, data + at, std::min(place_.piece(), bytes - at));
  }
  void receive_whole(rank_id from, std::byte* where, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += place_.piece()) {
      expect(from, where + at, std::min(place_.piece(), bytes - at));
      settle();
    }
  }

 private:
  static int over(void* arg) {
    auto& place = *static_cast<team_place*>(arg);
    return place.channel.settled() || place.bereaved() ? 1 : 0;
  }

  team_place& place_;
};

/// Dissemination: in round k every rank tells the one 2^k further, and hears from the one 2^k
/// before. No rank gets out before every rank has come in.
inline void team_barrier(team_place& place) {
  const rank_id n = place.ranks();
  team_step step(place, team_call::barrier);
  std::byte nothing{};
  for (rank_id distance = 1; distance < n; distance *= 2) {
    step.expect((place.me + n - distance) % n, &nothing, 0);
    step.send((place.me + distance) % n, &nothing, 0);
    step.settle();
  }
  place.ahead = 0;
}

/// How many bytes a rank may be sent in the steps between two barriers: 1 MiB.
inline constexpr std::size_t team_most_ahead = 1048576;

/// The rule that bounds the run-ahead, before each step in which a rank gets at most `messages` of
/// `bytes`: if it would be too much since the last barrier, there is one. All ranks count the same,
/// so all agree without a word.
inline void make_room_ahead(team_place& place, std::size_t messages, std::size_t bytes) {
  const std::size_t pieces = (bytes + place.piece() - 1) / place.piece();
  const std::size_t weight = messages * (bytes + pieces * team_overhead);
  if (place.ahead + weight > team_most_ahead) {
    team_barrier(place);
    ++place.channel.counts.barriers;
  }
  place.ahead += weight;
}

}  // namespace am::detail

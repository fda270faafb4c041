// Where the handlers of a team's messages find the team: one registry for each endpoint, in it a
// channel for each team, made by the team or by its first message, whichever comes first.
//
// Only its endpoint's owner uses a registry, in handlers and in collectives.
#pragma once

#include <am/am.hpp>
#include <am/detail/of_endpoint.hpp>
#include <am/detail/team_channel.hpp>

#include <map>

namespace am::detail {

class team_registry {
 public:
  explicit team_registry(am_ep* ep) : job_ranks_(am_ep_ranks(ep)) {}

  [[nodiscard]] team_channel& channel(std::uint32_t team) {
    return channels_.try_emplace(team, job_ranks_).first->second;
  }
  void close(std::uint32_t team) { channels_.erase(team); }

  /// Teams of all ranks are counted apart, so that the ranks agree on their numbers, whichever
  /// splits each has taken part in.
  [[nodiscard]] std::uint32_t next_whole_number() noexcept { return whole | wholes_++; }
  /// Higher than the numbers of all teams of this rank that a split has made.
  [[nodiscard]] std::uint32_t next_part() const noexcept { return next_part_; }
  void mark_part_used(std::uint32_t number) noexcept { next_part_ = number + 1; }

  /// The team of all ranks behind the calls of team.h: one for each endpoint, made without a
  /// collective, so its number is fixed. It is the last that next_whole_number() would return.
  static constexpr std::uint32_t job_team = 0xffffffffU;

 private:
  static constexpr std::uint32_t whole = 0x80000000U;

  const rank_id job_ranks_;
  std::map<std::uint32_t, team_channel> channels_;
  std::uint32_t wholes_ = 0;
  std::uint32_t next_part_ = 0;
};

inline team_registry& team_registry_of(am_ep* ep) { return of_endpoint<team_registry>(ep); }

// ---- the messages -------------------------------------------------------------------------------

/// Up to 16 bytes go in the words, beside the header.
struct team_small {
  team_header header;
  std::array<std::byte, 16> data;
};

inline void deliver_team_small(request_token t, team_small small) {
  team_registry_of(t.endpoint())
      .channel(small.header.team)
      .deliver(t.source(), small.header, small.data.data(), small.data.size());
}
inline void deliver_team_piece(request_token t, payload data, team_header header) {
  team_registry_of(t.endpoint())
      .channel(header.team)
      .deliver(t.source(), header, data.data(), data.size());
}

template <>
inline constexpr const char* own_label<deliver_team_small> = "am::team";
template <>
inline constexpr const char* own_label<deliver_team_piece> = "am::team";

}  // namespace am::detail

// Not reported when they are returned: a team learns of a member's death by am_ep_deaths().
template <>
inline constexpr std::uint32_t am::handler_flags<am::detail::deliver_team_small> =
    AM_HANDLER_OF_LIBRARY;
template <>
inline constexpr std::uint32_t am::handler_flags<am::detail::deliver_team_piece> =
    AM_HANDLER_OF_LIBRARY;

namespace am::detail {

/// The handlers to which a team sends: those of the file that has made it, or, for the team behind
/// team.h, those of libam, which have names.
struct team_handlers {
  const am_handler* small;
  const am_handler* piece;
};

inline void send_team_message(am_ep* ep, const team_handlers& handlers, rank_id to,
                              const team_header& header, const std::byte* data) {
  team_small small{header, {}};
  if (header.bytes > small.data.size()) {
    const auto w = pack(header);
    return check(
        am_ep_request_medium(ep, to, handlers.piece, data, header.bytes, w[0], w[1], w[2], w[3]));
  }
  std::memcpy(small.data.data(), data, header.bytes);
  const auto w = pack(small);
  check(am_ep_request(ep, to, handlers.small, w[0], w[1], w[2], w[3]));
}

}  // namespace am::detail

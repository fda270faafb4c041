// Where the handlers of a team's messages find the team: one board for each endpoint, on it a
// channel for each team, made by the team or by its first message, whichever comes first.
//
// A board is used by its endpoint's owner alone, in handlers and in collectives; it goes with the
// endpoint from thread to thread. It is never taken away, as the address of an am_ep is never given
// to another; that is why a thread may remember the last one.
#pragma once

#include <am/am.hpp>
#include <am/detail/team_channel.hpp>

#include <map>
#include <mutex>

namespace am::detail {

class team_board {
 public:
  explicit team_board(rank_id job_ranks) : job_ranks_(job_ranks) {}

  [[nodiscard]] team_channel& channel(std::uint32_t team) {
    return channels_.try_emplace(team, job_ranks_).first->second;
  }
  void close(std::uint32_t team) { channels_.erase(team); }

  /// Teams of all ranks are counted apart, so that the ranks agree on their numbers whatever splits
  /// each has taken part in.
  [[nodiscard]] std::uint32_t number_whole() noexcept { return whole | wholes_++; }
  /// Higher than the number of every team that this rank has been in by a split.
  [[nodiscard]] std::uint32_t next_part() const noexcept { return next_part_; }
  void took_part(std::uint32_t number) noexcept { next_part_ = number + 1; }

  /// The team of all ranks that the calls of team.h have: one for each endpoint, never made with
  /// the others, so all know its number beforehand. It is the last that number_whole() would give.
  static constexpr std::uint32_t of_job = 0xffffffffU;

 private:
  static constexpr std::uint32_t whole = 0x80000000U;

  const rank_id job_ranks_;
  std::map<std::uint32_t, team_channel> channels_;
  std::uint32_t wholes_ = 0;
  std::uint32_t next_part_ = 0;
};

inline team_board& find_team_board(am_ep* ep) {
  static std::mutex mutex;
  static auto& boards = *new std::map<am_ep*, team_board>;
  const std::lock_guard lock(mutex);
  return boards.try_emplace(ep, am_ep_ranks(ep)).first->second;
}

inline team_board& team_board_of(am_ep* ep) {
  thread_local am_ep* last = nullptr;
  thread_local team_board* board = nullptr;
  if (ep != last) {
    board = &find_team_board(ep);
    last = ep;
  }
  return *board;
}

// ---- the messages -------------------------------------------------------------------------------

/// Up to 16 bytes travel in the words, beside the header.
struct team_few {
  team_header header;
  std::array<std::byte, 16> data;
};

inline void team_arrived(request_token t, team_few few) {
  team_board_of(t.endpoint())
      .channel(few.header.team)
      .deliver(t.source(), few.header, few.data.data(), few.data.size());
}
inline void team_piece(request_token t, payload data, team_header header) {
  team_board_of(t.endpoint())
      .channel(header.team)
      .deliver(t.source(), header, data.data(), data.size());
}

template <>
inline constexpr const char* own_label<team_arrived> = "am::team";
template <>
inline constexpr const char* own_label<team_piece> = "am::team";

}  // namespace am::detail

// Who uses a team finds out by a call of its own that a member is dead.
template <>
inline constexpr std::uint32_t am::handler_flags<am::detail::team_arrived> = AM_HANDLER_OF_LIBRARY;
template <>
inline constexpr std::uint32_t am::handler_flags<am::detail::team_piece> = AM_HANDLER_OF_LIBRARY;

namespace am::detail {

/// For which handlers a team sends: those of the file that has made it, or, of the team behind
/// team.h, those of libam, which have names.
struct team_handlers {
  const am_handler* few;
  const am_handler* piece;
};

inline void send_team_message(am_ep* ep, const team_handlers& handlers, rank_id to,
                              const team_header& header, const std::byte* data) {
  team_few few{header, {}};
  if (header.bytes > few.data.size()) {
    const auto w = pack(header);
    return check(
        am_ep_request_medium(ep, to, handlers.piece, data, header.bytes, w[0], w[1], w[2], w[3]));
  }
  std::memcpy(few.data.data(), data, header.bytes);
  const auto w = pack(few);
  check(am_ep_request(ep, to, handlers.few, w[0], w[1], w[2], w[3]));
}

}  // namespace am::detail

// How a pair stands: whether each end is known to hear the other, and if the pair has ended, why.
// Whoever finds that the pair cannot go on says so here.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <transports/ucx/keeper.hpp>

#include <ucp/api/ucp.h>

#include <string>
#include <string_view>

namespace am::detail::ucx {

class standing {
 public:
  using state = packed::state;

  // Of this channel, from which no frame of these leaves when the pair has ended.
  standing(channel& of, channel_keeper& keeper, packed::frame_writer& frames) noexcept
      : of_(of), keeper_(keeper), frames_(frames) {}

  [[nodiscard]] channel& of() const noexcept { return of_; }
  [[nodiscard]] state at() const noexcept { return state_; }
  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
  [[nodiscard]] bool has_been_open() const noexcept { return has_been_open_; }

  // The peer can reach this rank. False: that was known, or the pair is lost.
  bool open() noexcept;
  // And this rank can reach the peer: both have been seen.
  void prove() noexcept { proved_ = true; }
  [[nodiscard]] bool is_proved() const noexcept { return proved_; }

  void lose(std::string_view why, packed::sign of = packed::sign::of_trouble) noexcept;
  // A call of UCX's has failed.
  void fail(const char* call, ucs_status_t status) noexcept;
  // The peer has left in good order.
  void leave() noexcept;
  // Nothing comes or goes any more.
  void end() noexcept;
  [[nodiscard]] const std::string& why_lost() const noexcept { return why_lost_; }

 private:
  channel& of_;
  channel_keeper& keeper_;
  packed::frame_writer& frames_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  bool proved_ = false;
  std::string why_lost_;
};

}  // namespace am::detail::ucx

// The state of a pair: whether each end is known to receive from the other, and if the pair has
// ended, why. Any part that finds that the pair cannot go on reports it here.
#pragma once

#include <libam/packed/frame_writer.hpp>
#include <transports/ucx/channel_manager.hpp>

#include <ucp/api/ucp.h>

#include <string>
#include <string_view>

namespace am::detail::ucx {

class pair_state {
 public:
  using state = packed::state;

  // No frame of `frames` is sent when the pair has ended.
  pair_state(channel& channel, channel_manager& manager, packed::frame_writer& frames) noexcept
      : owner_(channel), manager_(manager), frames_(frames) {}

  [[nodiscard]] channel& owner() const noexcept { return owner_; }
  [[nodiscard]] state current_state() const noexcept { return state_; }
  [[nodiscard]] bool is_open() const noexcept { return state_ == state::open; }
  [[nodiscard]] bool has_been_open() const noexcept { return has_been_open_; }
  // May frames be handled that have come? Of a pair that is lost by no fault of theirs, those that
  // came before.
  [[nodiscard]] bool may_begin_frames() const noexcept { return is_open() || has_valid_input_; }

  // The peer can reach this rank. False: that was known, or the pair is lost.
  bool open() noexcept;
  // This rank can reach the peer as well: messages have gone both ways. Too late for a pair that is
  // lost: its loss was not reported to the endpoint, and a first contact still fails with the
  // reason.
  void mark_established() noexcept { established_ = established_ || is_open(); }
  [[nodiscard]] bool is_established() const noexcept { return established_; }

  void lose(std::string_view why, packed::loss_cause of) noexcept;
  void on_violation(std::string_view why) noexcept { lose(why, packed::loss_cause::error); }
  // A call of UCX's has failed.
  void fail(const char* call, ucs_status_t status) noexcept;
  // The peer has left in good order.
  void mark_left() noexcept;
  // Nothing is sent or received any more.
  void end() noexcept;
  [[nodiscard]] const std::string& why_lost() const noexcept { return why_lost_; }

 private:
  channel& owner_;
  channel_manager& manager_;
  packed::frame_writer& frames_;
  state state_ = state::connecting;
  bool has_been_open_ = false;
  bool established_ = false;
  bool has_valid_input_ = false;  // of a lost pair
  std::string why_lost_;
};

}  // namespace am::detail::ucx

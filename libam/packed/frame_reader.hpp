// The receiving half of a pair of ranks over frames: it takes frames and delivers their messages to
// the inbox, until the budget or the frame ends, or its caller has to act. Answers join the open
// frame of the frame_writer.
#pragma once

#include <libam/packed/account.hpp>
#include <libam/packed/frame_writer.hpp>
#include <libam/seam/inbox.hpp>
#include <libam/wire/unpacker.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace am::detail::packed {

class frame_reader {
 public:
  // Receives from `peer`; answers go into the frames of `return_path`. `fixed_check`: the value in
  // the place of the check (wire/unpacker.hpp).
  frame_reader(seam::inbox& arrivals, am_rank peer, seam::sender_credits& credits,
               frame_writer& return_path, std::optional<std::uint32_t> fixed_check,
               wire::payload_sizes payloads) noexcept;

  // ---- a frame ----

  // Returns what `bytes`, aligned as frames are, begin with. `frame`: its counter is booked, its
  // messages are next, and it has to stay in place until it has ended. `error`: the pair cannot go
  // on.
  using parse_result = wire::unpacker::parse_result;
  parse_result begin(std::span<const std::byte> bytes) noexcept;
  // Did the frame that has begun bring credits where none was free?
  [[nodiscard]] bool restored_credits() const noexcept { return restored_credits_; }

  [[nodiscard]] bool in_frame() const noexcept { return in_frame_; }
  // The frame has messages that are not delivered.
  [[nodiscard]] bool has_messages() const noexcept { return unpacker_.messages() != 0; }
  // The caller has moved the frame.
  void relocate_frame(const std::byte* to) noexcept { unpacker_.relocate_frame(to); }
  [[nodiscard]] std::size_t frame_bytes() const noexcept { return unpacker_.frame_bytes(); }
  // How many bytes begin() needs.
  [[nodiscard]] std::size_t needed() const noexcept { return unpacker_.needed(); }
  // The number of the next frame.
  [[nodiscard]] std::uint32_t next_number() const noexcept { return unpacker_.sequence(); }

  // As begin() and deliver(), for a message that comes without its frame, in the place of the next
  // one: its handler runs. `has_silent`: the peer reports one more silent request. False: an error.
  // Outside of frames.
  bool deliver_lone(wire::message_kind kind, bool has_silent, std::uint16_t handler,
                    const am_word* words) noexcept;
  // The counter of silent requests that has come last.
  [[nodiscard]] std::uint32_t silent() const noexcept { return unpacker_.silent(); }

  // ---- its messages ----

  // Why no message is delivered at the moment.
  enum class stop_reason {
    budget,      // is used up; there are more
    full_frame,  // of answers: it has to leave before deliver() is called again
    end_of_frame,
    piece,    // the frame has ended, and the bytes of piece() follow it
    goodbye,  // nothing follows, and the peer has answered every request
    error     // the pair cannot go on
  };
  // Subtracts the messages that it delivers from the budget. Inside a frame.
  stop_reason deliver(unsigned& budget) noexcept;

  struct place {
    std::uint64_t where;
    std::uint64_t bytes;
  };
  [[nodiscard]] place piece() const noexcept { return piece_; }
  // The bytes of a piece could not be written at `where`: their notice, which is the next one with
  // any bytes, will be returned.
  void note_piece_failed(std::uint64_t where) noexcept { failed_piece_ = where; }

  // The frame that has begun is none of the peer's: it ends here, with an error.
  [[gnu::cold]] void fail(std::string why) noexcept;
  // One line; empty: there is no error.
  [[nodiscard]] const std::string& error_text() const noexcept { return error_text_; }

 private:
  bool update_silent(std::uint32_t silent) noexcept;
  bool next(wire::message& into, unsigned budget) noexcept;
  [[gnu::noinline]] void end_frame() noexcept;
  bool deliver_requests(wire::message& one, unsigned& budget) noexcept;
  bool deliver_answers(wire::message& one, unsigned& budget) noexcept;
  void handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool is_of_failed_piece(const wire::message& notice) noexcept;
  stop_reason on_piece(const wire::message& piece) noexcept;
  stop_reason on_goodbye() noexcept;

  seam::inbox& arrivals_;
  frame_writer& return_path_;
  account account_;
  const am_rank peer_;
  bool in_frame_ = false;
  bool restored_credits_ = false;
  stop_reason stop_reason_ = stop_reason::end_of_frame;
  wire::unpacker unpacker_;
  place piece_{};
  std::optional<std::uint64_t> failed_piece_;  // since the last notice with any bytes
  std::string error_text_;
};

}  // namespace am::detail::packed

// The receiving half of a pair of ranks over frames: it is handed frames and gives messages to the
// inbox, until the budget ends, the frame does, or something is for its caller to do. Answers join
// the open frame of the way back.
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
  // What comes from `peer`, with its answers in the frames of `way_back`. `mark`: what stands in
  // the place of the check.
  frame_reader(seam::inbox& arrivals, am_rank peer, seam::sender_credits& of_pair,
               frame_writer& way_back, std::optional<std::uint32_t> mark,
               wire::payload_sizes payloads) noexcept;

  // ---- a frame ----

  // What `bytes`, aligned as frames are, begin with. A frame: its counter is booked, its messages
  // are next, and it stays where it is until it has ended. Trouble: the pair cannot go on.
  using found = wire::unpacker::found;
  found begin(std::span<const std::byte> bytes) noexcept;
  // Did the frame that has begun bring credits where none was free?
  [[nodiscard]] bool ended_shortage() const noexcept { return ended_shortage_; }

  [[nodiscard]] bool is_inside() const noexcept { return is_inside_; }
  // Still to come out of it.
  [[nodiscard]] bool has_messages() const noexcept { return unpacker_.messages() != 0; }
  // The same frame stands there now.
  void has_moved(const std::byte* to) noexcept { unpacker_.has_moved(to); }
  [[nodiscard]] std::size_t frame_bytes() const noexcept { return unpacker_.frame_bytes(); }
  // How many bytes begin() would have liked to see.
  [[nodiscard]] std::size_t needed() const noexcept { return unpacker_.needed(); }
  // Of the frame that is due next.
  [[nodiscard]] std::uint32_t next_number() const noexcept { return unpacker_.sequence(); }

  // The same for a message that comes without its frame, which would have been due: its handler
  // runs. `has_silent`: the peer has had one more silent request. False: trouble. Outside of
  // frames.
  bool take_lone(wire::message_kind kind, bool has_silent, std::uint16_t handler,
                 const am_word* words) noexcept;
  // The counter that has come last.
  [[nodiscard]] std::uint32_t silent() const noexcept { return unpacker_.silent(); }

  // ---- its messages ----

  // Why no message is delivered at the moment.
  enum class stop {
    budget,      // is used up; there are more
    full_frame,  // of answers: it has to leave before deliver() is called again
    end_of_frame,
    piece,    // the frame has ended, and the bytes of piece() follow it
    goodbye,  // nothing follows, and the peer owes nothing
    trouble   // the pair cannot go on
  };
  // Takes the messages that it delivers off the budget. Inside a frame.
  stop deliver(unsigned& budget) noexcept;

  struct place {
    std::uint64_t where;
    std::uint64_t bytes;
  };
  [[nodiscard]] place piece() const noexcept { return piece_; }
  // The bytes of a piece at `where` could not be put there: the notice that tells of them, the next
  // one that tells of any bytes, goes back.
  void has_missed(std::uint64_t where) noexcept { missed_ = where; }

  // In a line; empty: there is none.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

 private:
  bool book(std::uint32_t silent) noexcept;
  bool next(wire::message& into, unsigned budget) noexcept;
  [[gnu::noinline]] void end_frame() noexcept;
  bool requests(wire::message& one, unsigned& budget) noexcept;
  bool answers(wire::message& one, unsigned& budget) noexcept;
  void handle_request(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool handle_asking(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool handle_notice(seam::inbox::batch& requests, const wire::message& one) noexcept;
  bool is_missed(const wire::message& notice) noexcept;
  stop end_with(const wire::message& piece) noexcept;
  stop take_leave() noexcept;
  [[gnu::cold]] void refuse(std::string why) noexcept;

  seam::inbox& arrivals_;
  frame_writer& way_back_;
  account account_;
  const am_rank peer_;
  bool is_inside_ = false;
  bool ended_shortage_ = false;
  stop stop_ = stop::end_of_frame;
  wire::unpacker unpacker_;
  place piece_{};
  std::optional<std::uint64_t> missed_;  // since the last notice of some bytes
  std::string trouble_;
};

}  // namespace am::detail::packed

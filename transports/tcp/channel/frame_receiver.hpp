// What comes out of the socket: frames, whose messages go to the inbox, and bulk data between them,
// which goes to its place. It knows the reader of frames and how far the stream has been read; its
// caller sends the answers.
#pragma once

#include <libam/packed/frame_reader.hpp>
#include <libam/seam/inbox.hpp>
#include <transports/tcp/channel/connection.hpp>
#include <transports/tcp/channel/frame_sender.hpp>
#include <transports/tcp/channel/incoming_piece.hpp>
#include <transports/tcp/channel/input_buffer.hpp>

#include <cstddef>

namespace am::detail::tcp {

class frame_receiver {
 public:
  // Throws std::bad_alloc.
  frame_receiver(connection& connection, seam::inbox& arrivals, am_rank peer,
                 seam::sender_credits& credits, packed::frame_writer& return_path, peers& all_peers,
                 wire::payload_sizes payloads)
      : connection_(connection),
        arrivals_(arrivals),
        peer_(peer),
        peers_(all_peers),
        frames_in_(arrivals, peer, credits, return_path, std::nullopt, payloads),
        input_(payloads) {}

  // Begins a call to the channel, which reads until the socket is empty once.
  void begin_call() noexcept {
    drained_ = false;
    steps_ = 0;
  }
  // Reads and delivers, and subtracts the messages from the budget. True: answers have filled a
  // frame, which has to be sent before the next call.
  bool take_messages(unsigned& budget) noexcept;
  // A call of its own that does the same up to the next message, for the counters of frames:
  // credits.
  void take_credits() noexcept;
  // The next message is here, and begun.
  [[nodiscard]] bool has_message() const noexcept {
    return frames_in_.in_frame() && frames_in_.has_messages();
  }
  // Something that has come is not delivered yet.
  [[nodiscard]] bool has_more() const noexcept {
    return frames_in_.in_frame() || has_unparsed_ || connection_.link().has_input();
  }

 private:
  bool read() noexcept;
  bool begin_frame() noexcept;
  bool deliver(unsigned& budget) noexcept;
  bool receive_piece() noexcept;
  void copy_piece_from_input() noexcept;
  bool receive_piece_from_link() noexcept;
  std::span<std::byte> space_for_frame() noexcept;
  std::span<std::byte> space_behind_piece() noexcept;

  connection& connection_;
  seam::inbox& arrivals_;
  const am_rank peer_;
  peers& peers_;
  packed::frame_reader frames_in_;
  input_buffer input_;
  incoming_piece incoming_piece_;
  bool has_unparsed_ = false;  // input_ has bytes that are not parsed yet
  bool drained_ = false;       // this call has read all that the socket had
  unsigned steps_ = 0;         // of this call
  unsigned narrow_reads_ = 0;  // the next reads that take one frame at most
};

}  // namespace am::detail::tcp

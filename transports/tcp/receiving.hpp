// What comes out of the socket: frames, whose messages go to the inbox, and bulk data between them,
// which goes to its place. It knows the reader of frames and how far the stream has been read;
// answers are its caller's to send.
#pragma once

#include <libam/packed/frame_reader.hpp>
#include <libam/seam/inbox.hpp>
#include <transports/tcp/connection.hpp>
#include <transports/tcp/input.hpp>
#include <transports/tcp/landing.hpp>
#include <transports/tcp/sending.hpp>

#include <cstddef>

namespace am::detail::tcp {

class receiving {
 public:
  // Throws std::bad_alloc.
  receiving(connection& by, seam::inbox& arrivals, am_rank peer, seam::sender_credits& of_pair,
            packed::frame_writer& way_back, peers& all, wire::payload_sizes payloads)
      : connection_(by),
        arrivals_(arrivals),
        peer_(peer),
        peers_(all),
        frames_in_(arrivals, peer, of_pair, way_back, std::nullopt, payloads),
        input_(payloads) {}

  // One call to the channel: it reads no further than what was there at its beginning.
  void begin_call() noexcept {
    drained_ = false;
    steps_ = 0;
  }
  // Reads and delivers, and takes the messages off the budget. True: answers have filled a frame,
  // which has to leave before this goes on.
  bool take(unsigned& budget) noexcept;
  // The same up to the next message: counters come in.
  void take_counters() noexcept;
  // Something has come already that is not delivered.
  [[nodiscard]] bool has_more() const noexcept {
    return frames_in_.is_inside() || more_ || connection_.line().has_input();
  }

 private:
  bool read() noexcept;
  bool begin_frame() noexcept;
  bool deliver(unsigned& budget) noexcept;
  bool land() noexcept;
  void land_from_input() noexcept;
  bool land_from_line() noexcept;
  std::span<std::byte> room_for_frame() noexcept;
  std::span<std::byte> room_behind_piece() noexcept;

  connection& connection_;
  seam::inbox& arrivals_;
  const am_rank peer_;
  peers& peers_;
  packed::frame_reader frames_in_;
  input input_;
  landing landing_;
  bool more_ = false;          // input_ has bytes that nobody has looked at
  bool drained_ = false;       // this call has read all that there was
  unsigned steps_ = 0;         // of this call
  unsigned narrow_reads_ = 0;  // so many of the next want no more than a frame
};

}  // namespace am::detail::tcp

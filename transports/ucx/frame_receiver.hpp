// Receives frames from one peer, and lone messages without theirs, each with the number that its
// frame would have had. Messages that fit a fragment of UCX's come in order; a longer frame may
// not, and is kept until its number is due, as is all that comes where no handler may run.
#pragma once

#include <libam/packed/frame_reader.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/frame_sender.hpp>
#include <transports/ucx/pair_state.hpp>

#include <cstdint>
#include <map>
#include <span>

namespace am::detail::ucx {

class frame_receiver {
 public:
  // Answers join the open frame of `frames_out`, which `sender` sends.
  frame_receiver(const seam::transport_context& context, engine& ucx, pair_state& pair,
                 seam::sender_credits& credits, packed::frame_writer& frames_out,
                 frame_sender& sender, peers& all_peers, channel_manager& manager);

  // A frame has come. Delivers at most `budget` messages of it and subtracts them. True: it keeps
  // the bytes.
  bool take_frame(std::span<const std::byte> frame, bool holdable, unsigned& budget) noexcept;
  // A message without its frame.
  void take_lone_message(const lone_message& what, std::span<const std::byte> words,
                         unsigned& budget) noexcept;
  // The same for kept frames.
  void deliver_kept(unsigned& budget) noexcept;
  // For a caller that only tries and never polls: reads the counters of frames, up to the next
  // message.
  void take_credits() noexcept;
  [[nodiscard]] bool is_next_available() const noexcept {
    return reader_.in_frame() ||
           (pair_.may_begin_frames() && kept_.contains(reader_.next_number()));
  }
  // The next message is here, and the counters of the frames before it are booked.
  [[nodiscard]] bool has_message() noexcept {
    take_credits();
    return reader_.in_frame() && reader_.has_messages();
  }
  // Releases UCX's memory before UCX ends.
  void release_ucx() noexcept { kept_.clear(); }

 private:
  bool begin_frame(std::span<const std::byte> frame) noexcept;
  void deliver(unsigned& budget) noexcept;
  void deliver_next_kept(unsigned& budget) noexcept;
  bool keep_frame(std::uint32_t number, std::span<const std::byte> frame, bool holdable) noexcept;
  void keep_lone_message(const lone_message& what, const am_word* words);

  engine& ucx_;
  pair_state& pair_;
  packed::frame_writer& frames_out_;
  frame_sender& sender_;
  peers& peers_;
  channel_manager& manager_;
  packed::frame_reader reader_;
  const am_rank peer_;
  const std::uint32_t max_ahead_;
  std::map<std::uint32_t, received_data> kept_;  // by number, also the one that is being delivered
};

}  // namespace am::detail::ucx

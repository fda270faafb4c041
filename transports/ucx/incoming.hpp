// What comes from one peer: frames, and lone messages without theirs, each in the place of a
// number. What fits a fragment of UCX's comes in order by itself; a frame that is longer, and all
// that comes where no handler may run, is kept until its number is due.
#pragma once

#include <libam/packed/frame_reader.hpp>
#include <transports/ucx/engine.hpp>
#include <transports/ucx/outgoing.hpp>
#include <transports/ucx/standing.hpp>

#include <cstdint>
#include <map>
#include <span>

namespace am::detail::ucx {

class incoming {
 public:
  // Answers join the open frame of the way back. So many frames may be kept.
  incoming(const seam::host& host, engine& ucx, standing& pair, seam::sender_credits& of_pair,
           packed::frame_writer& frames_out, outgoing& way_back, peers& all,
           channel_keeper& keeper);

  // A frame has come. Delivers at most `budget` messages of it and takes them off that; true: it
  // keeps the bytes.
  bool take(std::span<const std::byte> frame, bool lent, unsigned& budget) noexcept;
  // A message without its frame.
  void take_alone(const lone_message& what, std::span<const std::byte> words,
                  unsigned& budget) noexcept;
  // The same for what has been kept.
  void take_kept(unsigned& budget) noexcept;
  // For one who only tries and never polls: counters come in, up to the next message.
  void take_counters() noexcept;
  [[nodiscard]] bool is_next_here() const noexcept {
    return pair_.is_open() && (reader_.is_inside() || kept_.contains(reader_.next_number()));
  }
  // Gives back what is UCX's, before that ends.
  void let_go() noexcept { kept_.clear(); }

 private:
  bool begin_frame(std::span<const std::byte> frame) noexcept;
  void deliver(unsigned& budget) noexcept;
  void next_kept(unsigned& budget) noexcept;
  bool keeps(std::uint32_t number, std::span<const std::byte> frame, bool lent) noexcept;
  void keep_alone(const lone_message& what, const am_word* words);

  engine& ucx_;
  standing& pair_;
  packed::frame_writer& frames_out_;
  outgoing& way_back_;
  peers& peers_;
  channel_keeper& keeper_;
  packed::frame_reader reader_;
  const am_rank peer_;
  const std::uint32_t most_ahead_;
  std::map<std::uint32_t, arrival> kept_;  // frames by number, also the one that is delivered
};

}  // namespace am::detail::ucx

// Puts messages into frames. It knows no socket: who has one takes the frame when it is to leave,
// which is when nothing to that peer is unanswered, when the frame is full, and at every poll, wait
// and flush.
#pragma once

#include <libam/wire/frame.hpp>

#include <memory>
#include <new>
#include <span>

namespace am::detail::wire {

class packer {
 public:
  // Throws std::bad_alloc.
  packer() : frame_(new (std::align_val_t{payload_step}) std::byte[most_frame_bytes]) {}

  // There is a message that has not left.
  [[nodiscard]] bool has_messages() const noexcept { return messages_ != 0; }
  // Close it before another message is added.
  [[nodiscard]] bool full() const noexcept { return end_ >= full_frame_bytes || following_ != 0; }

  // To a frame that is not full. Copies words and payload, at most most_payload_bytes; a piece has
  // 1 to most_following_bytes, and fills the frame.
  void add(const message& one) noexcept;

  // The open frame, finished, with no message in it its counter alone. Good until the next add or
  // close: who cannot send all of it keeps the rest.
  std::span<const std::byte> close(std::uint32_t silent) noexcept;

 private:
  void add_payload(const std::byte* data, std::size_t bytes) noexcept;
  void fill_up_to(std::size_t step) noexcept;

  struct release {
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete[](bytes, std::align_val_t{payload_step});
    }
  };

  std::unique_ptr<std::byte[], release> frame_;
  std::size_t end_ = frame_header_bytes;
  std::uint32_t sequence_ = 0;
  std::uint32_t following_ = 0;  // bytes of bulk data behind the frame
  std::uint16_t messages_ = 0;
};

}  // namespace am::detail::wire

// Puts messages into frames. It knows no socket: the owner of one sends the frame when nothing to
// that peer is unanswered, when the frame is full, and at every poll, wait and flush.
#pragma once

#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <optional>
#include <span>
#include <utility>

namespace am::detail::wire {

class packer {
 public:
  using buffer = aligned_buffer;

  // A frame of `full` bytes is full; its last message may have made it longer. `fixed_check`:
  // stands in the place of the check, for a transport that checks by itself. `first`: the number of
  // the first frame. Throws std::bad_alloc.
  explicit packer(std::size_t full = full_frame_bytes,
                  std::optional<std::uint32_t> fixed_check = std::nullopt,
                  payload_sizes payloads = payload_sizes(), std::uint32_t first = 0)
      : full_(full),
        payloads_(payloads),
        fixed_check_(fixed_check),
        frame_(make_buffer()),
        sequence_(first) {}

  // There are messages in the open frame.
  [[nodiscard]] bool has_messages() const noexcept { return messages_ != 0; }
  // close() it before another message is added.
  [[nodiscard]] bool full() const noexcept { return end_ >= full_ || following_ != 0; }

  // Requires that the frame is not full. Copies words and payload, at most most_payload(); a piece
  // has 1 to most_following_bytes, and fills the frame.
  void add(const message& one) noexcept;

  // The only message of the open frame, if it is a request or reply of words alone that requests no
  // credit: its kind, and its words as they are in the frame.
  struct lone {
    message_kind kind;
    std::uint16_t handler;
    std::span<const std::byte> words;
  };
  [[nodiscard]] std::optional<lone> lone_message() const noexcept {
    if (messages_ != 1) return std::nullopt;
    const std::byte* const message = frame_.get() + frame_header_bytes;
    const auto head = read_number<std::uint64_t>(message);
    const auto kind = message_kind{static_cast<std::uint8_t>(head)};
    if (!is_of_words(kind) || (head >> 8 & credit_request_bit) != 0) return std::nullopt;
    return lone{kind,
                static_cast<std::uint16_t>(head >> 16),
                {message + message_header_bytes, frame_.get() + end_}};
  }
  // That message is sent without its frame, whose number is used up. Its words are valid until the
  // next add.
  void close_without_frame() noexcept {
    end_ = frame_header_bytes;
    messages_ = 0;
    ++sequence_;
  }
  // Finishes the open frame; without messages it has its counter alone. Valid until the next add or
  // close: a sender that cannot send all of it copies the rest.
  std::span<const std::byte> close(std::uint32_t silent) noexcept;
  // Gives away the memory of the frame that has just been closed, and makes some for the next one.
  buffer take_buffer() { return std::exchange(frame_, make_buffer()); }

 private:
  // Memory for one frame.
  [[nodiscard]] buffer make_buffer() const {
    return make_aligned_buffer(most_frame_bytes(payloads_, full_));
  }
  void add_body(const message& one) noexcept;
  void add_payload(const std::byte* data, std::size_t bytes) noexcept;
  void pad_to(std::size_t step) noexcept;

  const std::size_t full_;  // at most full_frame_bytes
  const payload_sizes payloads_;
  const std::optional<std::uint32_t> fixed_check_;
  buffer frame_;
  std::size_t end_ = frame_header_bytes;
  std::uint32_t sequence_;
  std::uint32_t following_ = 0;  // bytes of bulk data behind the frame
  std::uint16_t messages_ = 0;
};

}  // namespace am::detail::wire

// Puts messages into frames. It knows no socket: who has one takes the frame when it is to leave,
// which is when nothing to that peer is unanswered, when the frame is full, and at every poll, wait
// and flush.
#pragma once

#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace am::detail::wire {

class packer {
 private:
  struct release {
    void operator()(std::byte* bytes) const noexcept {
      ::operator delete[](bytes, std::align_val_t{payload_step});
    }
  };

 public:
  // Memory for one frame.
  using room = std::unique_ptr<std::byte[], release>;
  static room make_room(payload_sizes payloads) {
    return room(new (std::align_val_t{payload_step}) std::byte[most_frame_bytes(payloads)]);
  }

  // A frame of `full` bytes is full; one message more may have made it longer. `mark`: stands in
  // the place of the check, for a way that looks after that itself. `first`: the number of the
  // first frame. Throws std::bad_alloc.
  explicit packer(std::size_t full = full_frame_bytes,
                  std::optional<std::uint32_t> mark = std::nullopt,
                  payload_sizes payloads = payload_sizes(), std::uint32_t first = 0)
      : full_(full),
        payloads_(payloads),
        mark_(mark),
        frame_(make_room(payloads)),
        sequence_(first) {}

  // There is a message that has not left.
  [[nodiscard]] bool has_messages() const noexcept { return messages_ != 0; }
  // Close it before another message is added.
  [[nodiscard]] bool full() const noexcept { return end_ >= full_ || following_ != 0; }

  // To a frame that is not full. Copies words and payload, at most most_payload(); a piece has
  // 1 to most_following_bytes, and fills the frame.
  void add(const message& one) noexcept;

  // The only message of the open frame, if it is a request or reply of words alone whose sender
  // waits for nothing: its kind, and how its words stand in the frame.
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
    if (!is_of_words(kind) || (head >> 8 & hungry_bit) != 0) return std::nullopt;
    return lone{kind,
                static_cast<std::uint16_t>(head >> 16),
                {message + message_header_bytes, frame_.get() + end_}};
  }
  // That message goes without its frame, whose number is taken. Its words are good until the next
  // add.
  void close_without_frame() noexcept {
    end_ = frame_header_bytes;
    messages_ = 0;
    ++sequence_;
  }
  // The open frame, finished, with no message in it its counter alone. Good until the next add or
  // close: who cannot send all of it keeps the rest.
  std::span<const std::byte> close(std::uint32_t silent) noexcept;
  // The memory of the frame that has just been closed, for who has to keep it; the next one is made
  // in `other`.
  room exchange(room other) noexcept { return std::exchange(frame_, std::move(other)); }

 private:
  void add_rest(const message& one) noexcept;
  void add_payload(const std::byte* data, std::size_t bytes) noexcept;
  void fill_up_to(std::size_t step) noexcept;

  const std::size_t full_;  // at most full_frame_bytes
  const payload_sizes payloads_;
  const std::optional<std::uint32_t> mark_;
  room frame_;
  std::size_t end_ = frame_header_bytes;
  std::uint32_t sequence_;
  std::uint32_t following_ = 0;  // bytes of bulk data behind the frame
  std::uint16_t messages_ = 0;
};

}  // namespace am::detail::wire

// What ranks that share no memory send each other: frames, each a header and packed messages.
// docs/wire-format.md draws the bytes; this file has their meaning, and what is refused.
//
// A frame is complete in itself: all of its bytes show whether it is the one that was due and
// whether it is whole, before the first message is read. Bulk data is not in frames: its bytes
// follow the frame whose last message is a piece, from the sender's memory to the receiver's, and
// zeros behind them, so that the next frame is aligned as this one was.
#pragma once

#include <libam/wire/payload_sizes.hpp>

#include <am/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace am::detail::wire {

inline constexpr std::uint8_t frame_version = 2;
inline constexpr std::size_t frame_header_bytes = 24;
inline constexpr std::size_t message_header_bytes = 8;
inline constexpr unsigned credit_request_bit = 0x80;
// Frames, and what follows them, have a multiple of payload_step bytes, so that payloads keep their
// alignment.
inline constexpr std::size_t round_up_to_step(std::size_t bytes) noexcept {
  return bytes + padding_before(payload_step, bytes);
}

// Memory that is aligned as frames are.
struct free_aligned {
  void operator()(std::byte* bytes) const noexcept {
    ::operator delete[](bytes, std::align_val_t{payload_step});
  }
};
using aligned_buffer = std::unique_ptr<std::byte[], free_aligned>;
inline aligned_buffer make_aligned_buffer(std::size_t bytes) {
  return aligned_buffer(new (std::align_val_t{payload_step}) std::byte[bytes]);
}

// A frame with this many bytes is sent; its last message may have made it longer. A transport may
// send shorter ones.
inline constexpr std::size_t full_frame_bytes = std::size_t{64} * 1024;
inline constexpr std::size_t most_frame_bytes(payload_sizes payloads,
                                              std::size_t full = full_frame_bytes) noexcept {
  constexpr std::size_t around_payload =
      message_header_bytes + std::size_t{8} * (AM_WORDS + 1) + (payload_step - 1);
  return round_up_to_step(full + around_payload + payloads.most_payload());
}
// The header has the size in steps, in 16 bits.
inline constexpr std::size_t largest_frame_bytes =
    most_frame_bytes(payload_sizes(largest_max_medium));
static_assert(largest_frame_bytes / payload_step <= 0xffff);
// Bulk data behind one frame, limited so that other messages need not wait long.
inline constexpr std::uint32_t most_following_bytes = 1 << 20;

enum class message_kind : std::uint8_t {
  request = 1,        // words
  medium,             // words, payload
  notice,             // words, `where` and `bytes` of data in the target's memory
  piece,              // the last of its frame; the `bytes` behind it go to `where`; no words
  reply,              // words
  placed_reply,       // words, `where`
  returned,           // words; `reason`
  goodbye,            // nothing follows; `reason`, no words
  request_with_room,  // a request with `room` for its answer: words, payload
  // Answers to one.
  answer,           // words
  medium_answer,    // words, payload
  placed_answer,    // words, `where` and `bytes` of data in the requester's memory
  returned_answer,  // words; `reason`
};
inline constexpr auto last_message_kind = message_kind::returned_answer;

// A request or reply: nothing follows its words, and it may go without its frame. An answer may
// not, though it has only words.
constexpr bool is_of_words(message_kind kind) noexcept {
  return kind == message_kind::request || kind == message_kind::reply;
}
constexpr bool is_request(message_kind kind) noexcept {
  return kind == message_kind::request || kind == message_kind::medium ||
         kind == message_kind::notice || kind == message_kind::request_with_room;
}
constexpr bool has_payload(message_kind kind) noexcept {
  return kind == message_kind::medium || kind == message_kind::request_with_room ||
         kind == message_kind::medium_answer;
}
constexpr bool has_reason(message_kind kind) noexcept {
  return kind == message_kind::returned || kind == message_kind::goodbye ||
         kind == message_kind::returned_answer;
}
// A piece and a goodbye run no handler.
constexpr bool has_handler(message_kind kind) noexcept {
  return kind != message_kind::piece && kind != message_kind::goodbye;
}

// A message as it is in a frame, or is to be written into one.
struct message {
  message_kind kind;
  bool credit_requested;  // a request that takes the last credit: its sender needs `silent` at once
  std::uint16_t handler;
  am_word words[AM_WORDS];
  const std::byte* data;  // the payload, aligned for any type
  std::uint64_t bytes;    // of `data`, or at `where`
  std::uint64_t where;
  std::uint32_t reason;
  std::uint64_t room;  // of a request with room: the largest answer
};

// Behind the words: an address, and the number of bytes there.
constexpr bool has_address(message_kind kind) noexcept {
  return kind == message_kind::notice || kind == message_kind::piece ||
         kind == message_kind::placed_reply || kind == message_kind::placed_answer;
}
constexpr bool has_size(message_kind kind) noexcept {
  return kind == message_kind::notice || kind == message_kind::piece ||
         kind == message_kind::placed_answer;
}

// The check over all bytes of a frame but the first 4, which hold it. It detects accidental
// changes; it does not prove who wrote the frame.
std::uint32_t frame_check(std::span<const std::byte> frame) noexcept;

}  // namespace am::detail::wire

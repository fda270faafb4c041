// What travels between ranks that share no memory: frames, each a header and messages, packed. The
// bytes are drawn in docs/wire-format.md; here is their meaning, and what is refused.
//
// A frame stands on its own: whoever has all of its bytes knows whether it is the one that was due
// and whether it is whole, before the first message is looked at. Bulk data does not stand in
// frames: those bytes follow the frame whose last message is a piece, from the sender's memory to
// the receiver's, and zeros behind them, so that the next frame is aligned as this one was.
#pragma once

#include <am/types.h>
#include <libam/wire/payload_sizes.hpp>

#include <cstddef>
#include <cstdint>

namespace am::detail::wire {

inline constexpr std::uint8_t frame_version = 2;
inline constexpr std::size_t frame_header_bytes = 24;
inline constexpr std::size_t message_header_bytes = 8;
inline constexpr unsigned hungry_bit = 0x80;
// Frames, and what follows them, take a multiple of payload_step, so that payloads keep their
// alignment.
inline constexpr std::size_t up_to_step(std::size_t bytes) noexcept {
  return bytes + gap_before(payload_step, bytes);
}

// A frame that has so many bytes leaves; one message more may have made it longer.
inline constexpr std::size_t full_frame_bytes = std::size_t{32} * 1024;
inline constexpr std::size_t most_frame_bytes(payload_sizes payloads) noexcept {
  constexpr std::size_t around_payload =
      message_header_bytes + std::size_t{8} * (AM_WORDS + 1) + (payload_step - 1);
  return up_to_step(full_frame_bytes + around_payload + payloads.most_payload());
}
// Its size is counted in steps, and has 16 bits.
inline constexpr std::size_t largest_frame_bytes =
    most_frame_bytes(payload_sizes(largest_max_medium));
static_assert(largest_frame_bytes / payload_step <= 0xffff);
// Bulk data behind one frame, so that other messages need not wait long.
inline constexpr std::uint32_t most_following_bytes = 1 << 20;

enum class message_kind : std::uint8_t {
  request = 1,   // words
  medium,        // words, payload
  notice,        // words, `where` and `bytes` of data that stand in the target's memory
  piece,         // the `bytes` that follow the frame go to `where`; no request, no words; the last
  reply,         // words
  placed_reply,  // words, `where`
  returned,      // words; `reason`
  goodbye,       // nothing follows; `reason`, no words
  asking,        // a request with `room` for its answer: words, payload
  // Answers to one.
  answer,           // words
  medium_answer,    // words, payload
  placed_answer,    // words, `where` and `bytes` of data that stand in the requester's memory
  returned_answer,  // words; `reason`
};
inline constexpr auto last_message_kind = message_kind::returned_answer;

// A request or reply: nothing stands behind its words, and it may go without its frame. An answer
// may not, though it has words alone.
constexpr bool is_of_words(message_kind kind) noexcept {
  return kind == message_kind::request || kind == message_kind::reply;
}
constexpr bool is_request(message_kind kind) noexcept {
  return kind == message_kind::request || kind == message_kind::medium ||
         kind == message_kind::notice || kind == message_kind::asking;
}
constexpr bool has_payload(message_kind kind) noexcept {
  return kind == message_kind::medium || kind == message_kind::asking ||
         kind == message_kind::medium_answer;
}
constexpr bool has_reason(message_kind kind) noexcept {
  return kind == message_kind::returned || kind == message_kind::goodbye ||
         kind == message_kind::returned_answer;
}
// A piece and a goodbye are no handler's business.
constexpr bool has_handler(message_kind kind) noexcept {
  return kind != message_kind::piece && kind != message_kind::goodbye;
}

// A message as it stands in a frame, or as it is to be written there.
struct message {
  message_kind kind;
  bool hungry;  // a request that takes the last credit: its sender waits for `silent`
  std::uint16_t handler;
  am_word words[AM_WORDS];
  const std::byte* data;  // the payload, aligned for any type
  std::uint64_t bytes;    // of it, or of what stands at `where`
  std::uint64_t where;
  std::uint32_t reason;
  std::uint64_t room;  // of an asking: how many bytes its answer may have
};

// The address, and how many bytes stand there, behind the words.
constexpr bool has_address(message_kind kind) noexcept {
  return kind == message_kind::notice || kind == message_kind::piece ||
         kind == message_kind::placed_reply || kind == message_kind::placed_answer;
}
constexpr bool has_size(message_kind kind) noexcept {
  return kind == message_kind::notice || kind == message_kind::piece ||
         kind == message_kind::placed_answer;
}

}  // namespace am::detail::wire

#include <libam/wire/unpacker.hpp>

#include <libam/base/format.hpp>
#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <cassert>
#include <utility>

namespace am::detail::wire {

namespace {
constexpr char least[] = "and may be no less than";
constexpr char most[] = "and may be no more than";

// The header has the size of a frame in steps.
constexpr std::size_t bytes_of(unsigned steps) noexcept {
  return std::size_t{payload_step} * static_cast<std::uint16_t>(steps);
}
}  // namespace

unpacker::parse_result unpacker::refuse(const char* what, std::uint64_t actual,
                                        std::uint64_t expected, const char* relation) noexcept {
  if (has_error()) return parse_result::error;
  what_ = what;
  actual_ = actual;
  relation_ = relation;
  expected_ = expected;
  return parse_result::error;
}

std::string unpacker::error_text() const {
  return has_error() ? base::format("{} is {}, {} {}", what_, actual_, relation_, expected_)
                     : std::string();
}

// The size is the one field that is used before the check can be. It comes twice, and is bounded,
// so that neither an error nor an attack makes a receiver wait for bytes that do not come.
unpacker::parse_result unpacker::begin_frame(std::span<const std::byte> bytes) noexcept {
  if (has_error()) return parse_result::error;
  assert(messages_ == 0);
  needed_ = frame_header_bytes;
  if (bytes.size() < needed_) return parse_result::incomplete;
  const std::byte* const head = bytes.data();
  const auto version = static_cast<std::uint8_t>(head[8]);
  if (version != frame_version) return refuse("the frame's version", version, frame_version);
  const std::size_t size = bytes_of(read_number<std::uint16_t>(head + 4));
  const std::size_t again = bytes_of(~read_number<std::uint16_t>(head + 6));
  const std::size_t most_bytes = most_frame_bytes(payloads_);
  if (size != again) return refuse("the frame's size", size, again, "and comes again as");
  if (size < frame_header_bytes) return refuse("the frame's size", size, frame_header_bytes, least);
  if (size > most_bytes) return refuse("the frame's size", size, most_bytes, most);
  needed_ = size;
  if (bytes.size() < needed_) return parse_result::incomplete;
  return open(bytes.first(size));
}

unpacker::parse_result unpacker::open(std::span<const std::byte> frame) noexcept {
  const std::byte* const head = frame.data();
  const auto check = read_number<std::uint32_t>(head);
  if (const std::uint32_t due = fixed_check_ ? *fixed_check_ : frame_check(frame); check != due)
    return refuse("the frame's check", check, due);
  if (const auto reserved = static_cast<std::uint8_t>(head[9]); reserved != 0)
    return refuse("the frame's reserved byte", reserved, 0);
  if (const std::uint32_t sequence = number_of(head); sequence != sequence_)
    return refuse("the frame's number", sequence, sequence_);
  const auto following = read_number<std::uint32_t>(head + 20);
  if (following > most_following_bytes)
    return refuse("the size of what follows", following, most_following_bytes, most);
  ++sequence_;
  frame_ = frame;
  messages_ = read_number<std::uint16_t>(head + 10);
  silent_ = silent_of(head);
  following_ = following;
  has_piece_ = false;
  at_ = frame_header_bytes;
  return parse_result::frame;
}

std::uint32_t unpacker::number_of(const std::byte* frame) noexcept {
  return read_number<std::uint32_t>(frame + 12);
}

std::uint32_t unpacker::silent_of(const std::byte* frame) noexcept {
  return read_number<std::uint32_t>(frame + 16);
}

const std::byte* unpacker::take(std::size_t bytes) noexcept {
  if (bytes > frame_.size() - at_) {
    refuse("what is left of the frame", frame_.size() - at_, bytes, least);
    return nullptr;
  }
  const std::byte* const here = frame_.data() + at_;
  at_ += bytes;
  return here;
}

bool unpacker::next(message& into) noexcept {
  if (messages_ == 0 || has_error()) [[unlikely]] {
    if (!has_error()) check_end();
    return false;
  }
  if (!take_header(into)) return false;
  if (!is_of_words(into.kind) && !take_body(into)) return false;
  --messages_;
  return true;
}

// Most messages are requests or replies with nothing unusual in the header, and need no more
// checks.
bool unpacker::take_header(message& into) noexcept {
  const std::byte* at = take(message_header_bytes);
  if (at == nullptr) [[unlikely]]
    return false;
  const auto head = read_number<std::uint64_t>(at);
  const unsigned count = static_cast<unsigned>(head >> 8) & 0xff & ~credit_request_bit;
  into.kind = message_kind{static_cast<std::uint8_t>(head)};
  into.credit_requested = (head >> 8 & credit_request_bit) != 0;
  into.handler = static_cast<std::uint16_t>(head >> 16);
  into.reason = static_cast<std::uint32_t>(head >> 32);
  const bool may_request_credit = into.kind == message_kind::request;
  const bool usual = is_of_words(into.kind) && (may_request_credit || !into.credit_requested) &&
                     count <= AM_WORDS && into.reason == 0;
  if (!usual && !check_header(into, count)) [[unlikely]]
    return false;
  at = take(std::size_t{8} * count);
  if (at == nullptr) [[unlikely]]
    return false;
  for (unsigned i = 0; i < AM_WORDS; ++i)
    into.words[i] = i < count ? read_number<std::uint64_t>(at + std::size_t{8} * i) : 0;
  return true;
}

// The last number of a header is a reason, a size, or nothing.
bool unpacker::check_header(message& of, unsigned count) noexcept {
  const auto kind = static_cast<std::uint8_t>(of.kind);
  constexpr auto last = static_cast<std::uint8_t>(last_message_kind);
  if (kind == 0) refuse("the message's kind", kind, 1, least);
  if (kind > last) refuse("the message's kind", kind, last, most);
  if (has_error()) return false;
  const unsigned most_words = has_handler(of.kind) ? AM_WORDS : 0;
  if (count > most_words) refuse("the message's number of words", count, most_words, most);
  if (of.credit_requested && !is_request(of.kind))
    refuse("the credit-request flag of a message that is no request", 1, 0);
  if (of.handler != 0 && !has_handler(of.kind))
    refuse("the handler of a message without a handler", of.handler, 0);
  of.data = nullptr;
  of.where = 0;
  of.bytes = 0;
  if (has_payload(of.kind))
    of.bytes = std::exchange(of.reason, 0);
  else if (!has_reason(of.kind) && of.reason != 0)
    refuse("a reserved number", of.reason, 0);
  return !has_error();
}

bool unpacker::take_body(message& into) noexcept {
  if (has_address(into.kind)) {
    const std::byte* const at = take(has_size(into.kind) ? 16 : 8);
    if (at == nullptr) return false;
    into.where = read_number<std::uint64_t>(at);
    if (has_size(into.kind)) into.bytes = read_number<std::uint64_t>(at + 8);
  }
  if (into.kind == message_kind::request_with_room && !take_room(into)) return false;
  if (has_payload(into.kind)) return take_payload(into);
  if (into.kind != message_kind::piece) return true;
  if (into.bytes != following_) refuse("the piece's size", into.bytes, following_);
  if (messages_ != 1) refuse("the number of messages behind a piece", messages_ - 1U, 0);
  has_piece_ = true;
  return !has_error();
}

bool unpacker::take_room(message& into) noexcept {
  const std::byte* const at = take(sizeof into.room);
  if (at == nullptr) return false;
  into.room = read_number<std::uint64_t>(at);
  if (into.room > payloads_.max_medium())
    refuse("the room for an answer", into.room, payloads_.max_medium(), most);
  return !has_error();
}

bool unpacker::take_payload(message& into) noexcept {
  if (into.bytes > payloads_.most_payload())
    refuse("the payload's size", into.bytes, payloads_.most_payload(), most);
  if (has_error() || !take_padding(payload_step)) return false;
  into.data = take(into.bytes);
  return into.data != nullptr && take_padding(message_header_bytes);
}

// Takes zeros up to the next multiple.
bool unpacker::take_padding(std::size_t step) noexcept {
  const std::size_t bytes = padding_before(step, at_);
  const std::byte* const fill = take(bytes);
  for (std::size_t i = 0; fill != nullptr && i < bytes; ++i)
    if (fill[i] != std::byte{})
      refuse("a byte that fills up", static_cast<std::uint8_t>(fill[i]), 0);
  return !has_error();
}

// Behind the last message there is only padding, and bulk data that follows belongs to a piece.
void unpacker::check_end() noexcept {
  const std::size_t left = frame_.size() - at_;
  if (left >= payload_step) refuse("what is left of the frame", left, payload_step - 1, most);
  if (following_ != 0 && !has_piece_) refuse("the size of the piece", 0, following_);
  if (!has_error()) (void)take_padding(payload_step);
}

}  // namespace am::detail::wire

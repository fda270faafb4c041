#include <libam/wire/packer.hpp>

#include <libam/wire/frame.hpp>
#include <libam/wire/little_endian.hpp>

#include <cassert>
#include <cstring>

namespace am::detail::wire {

namespace {

// Words that are zero at the end are not sent.
std::size_t significant_words(const am_word* words) noexcept {
  std::size_t count = AM_WORDS;
  while (count != 0 && words[count - 1] == 0) --count;
  return count;
}

// The last number of a header.
std::uint64_t number_of(const message& one) noexcept {
  return has_payload(one.kind) ? one.bytes : one.reason;
}

std::byte* append(std::byte* at, std::uint64_t number) noexcept {
  write_number(at, number);
  return at + sizeof number;
}

}  // namespace

void packer::add(const message& one) noexcept {
  assert(!full());
  assert(!has_payload(one.kind) || one.bytes <= payloads_.most_payload());
  assert(one.kind != message_kind::piece || one.bytes <= most_following_bytes);
  std::byte* at = frame_.get() + end_;
  const std::size_t count = significant_words(one.words);
  const bool of_words = is_of_words(one.kind);
  const std::uint64_t flags = count | (one.credit_requested ? credit_request_bit : 0);
  const std::uint64_t number = of_words ? 0 : number_of(one);
  at = append(at, static_cast<std::uint64_t>(one.kind) | flags << 8 |
                      std::uint64_t{one.handler} << 16 | number << 32);
  for (std::size_t i = 0; i < count; ++i) at = append(at, one.words[i]);
  end_ = static_cast<std::size_t>(at - frame_.get());
  ++messages_;
  if (!of_words) add_body(one);
}

// The parts behind the words.
void packer::add_body(const message& one) noexcept {
  std::byte* at = frame_.get() + end_;
  if (has_address(one.kind)) at = append(at, one.where);
  if (has_size(one.kind)) at = append(at, one.bytes);
  if (one.kind == message_kind::request_with_room) at = append(at, one.room);
  end_ = static_cast<std::size_t>(at - frame_.get());
  if (has_payload(one.kind)) add_payload(one.data, one.bytes);
  if (one.kind == message_kind::piece) following_ = static_cast<std::uint32_t>(one.bytes);
}

void packer::add_payload(const std::byte* data, std::size_t bytes) noexcept {
  pad_to(payload_step);
  if (bytes != 0) std::memcpy(frame_.get() + end_, data, bytes);
  end_ += bytes;
  pad_to(message_header_bytes);
}

// Zeros up to the next multiple.
void packer::pad_to(std::size_t step) noexcept {
  const std::size_t missing = padding_before(step, end_);
  std::memset(frame_.get() + end_, 0, missing);
  end_ += missing;
}

std::span<const std::byte> packer::close(std::uint32_t silent) noexcept {
  pad_to(payload_step);
  const std::span<const std::byte> whole(frame_.get(), end_);
  std::byte* const head = frame_.get();
  const auto steps = static_cast<std::uint16_t>(end_ / payload_step);
  write_number(head + 4, steps);
  write_number(head + 6, static_cast<std::uint16_t>(~steps));
  head[8] = std::byte{frame_version};
  head[9] = std::byte{};
  write_number(head + 10, messages_);
  write_number(head + 12, sequence_);
  write_number(head + 16, silent);
  write_number(head + 20, following_);
  write_number(head, fixed_check_ ? *fixed_check_ : frame_check(whole));
  end_ = frame_header_bytes;
  messages_ = 0;
  following_ = 0;
  ++sequence_;
  return whole;
}

}  // namespace am::detail::wire

// Helpers that make messages and frames, and read them.
#pragma once

#include <libam/wire/packer.hpp>
#include <libam/wire/unpacker.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace am_test {

namespace wire = am::detail::wire;
using bytes = std::vector<std::byte>;

// A frame's bytes, aligned as in a transport's buffer.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::span<const std::byte> from)
      : size_(from.size()), room_(std::make_unique<std::byte[]>(size_ + wire::payload_step)) {
    void* at = room_.get();
    std::size_t room = size_ + wire::payload_step;
    start_ = static_cast<std::byte*>(std::align(wire::payload_step, size_, at, room));
    std::ranges::copy(from, start_);
  }
  [[nodiscard]] std::span<std::byte> all() const noexcept { return {start_, size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> room_;
  std::byte* start_;
};

// The next message of an unpacker; fields that its kind lacks are zero.
inline std::optional<wire::message> next_of(wire::unpacker& from) {
  wire::message one{};
  return from.next(one) ? std::optional(one) : std::nullopt;
}

inline wire::message request(std::uint16_t handler, std::array<am_word, AM_WORDS> words,
                             bool credit_requested = false) {
  wire::message one{};
  one.kind = wire::message_kind::request;
  one.credit_requested = credit_requested;
  one.handler = handler;
  std::ranges::copy(words, one.words);
  return one;
}

inline wire::message of_kind(wire::message_kind kind) {
  wire::message one{};
  one.kind = kind;
  return one;
}

inline wire::message piece(std::uint64_t where, std::uint64_t size) {
  wire::message one = of_kind(wire::message_kind::piece);
  one.where = where;
  one.bytes = size;
  return one;
}

// The largest possible one.
inline wire::message largest_medium(wire::payload_sizes payloads = wire::payload_sizes()) {
  static const bytes longest(wire::payload_sizes(wire::largest_max_medium).most_payload());
  const std::span payload = std::span(longest).first(payloads.most_payload());
  wire::message one = request(1, {1, 2, 3, 4});
  one.kind = wire::message_kind::medium;
  one.data = payload.data();
  one.bytes = payload.size();
  return one;
}

// The first frame of a connection.
inline bytes frame_of(std::span<const wire::message> all) {
  wire::packer packer;
  for (const wire::message& one : all) packer.add(one);
  const auto whole = packer.close(0);
  return {whole.begin(), whole.end()};
}
inline bytes frame_of(std::initializer_list<wire::message> all) {
  return frame_of(std::span(all.begin(), all.size()));
}

inline bool same(const wire::message& a, const wire::message& b) {
  const bool payload = wire::has_payload(a.kind);
  return a.kind == b.kind && a.credit_requested == b.credit_requested && a.handler == b.handler &&
         std::ranges::equal(a.words, b.words) && a.bytes == b.bytes && a.where == b.where &&
         a.reason == b.reason && a.room == b.room &&
         (!payload || std::equal(a.data, a.data + a.bytes, b.data));
}

}  // namespace am_test

// Records: what a stream of bytes becomes where nobody else may read or change it. Each is sealed
// by itself, and by its number in the stream, so that none can be left out, doubled or moved.
// docs/wire-format.md draws the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace am::detail::tcp {

using key = std::array<std::byte, 32>;

// Of one connection at one of its ends. Wiped where they end.
struct session_keys {
  key sending;
  key receiving;

  session_keys() = default;
  session_keys(const session_keys&) = default;
  session_keys& operator=(const session_keys&) = default;
  ~session_keys();
};

inline constexpr std::size_t record_head_bytes = 4;
inline constexpr std::size_t record_tag_bytes = 16;
inline constexpr std::size_t most_plain_bytes = std::size_t{16} * 1024;
inline constexpr std::size_t most_record_bytes =
    record_head_bytes + most_plain_bytes + record_tag_bytes;

// One direction, at either end.
class cipher {
 public:
  explicit cipher(const key& one) noexcept : key_(one) {}
  cipher(const cipher&) = delete;
  cipher& operator=(const cipher&) = delete;
  ~cipher();

  // The next record, of the `bytes` that stand at record + record_head_bytes: 1 to most_plain_bytes
  // of them. Says how long it is.
  std::size_t seal(std::byte* record, std::size_t bytes) noexcept;
  // Opens the next record in its place: what it says. Nothing: it is not the one that was sealed,
  // and its bytes are spoilt.
  std::optional<std::span<std::byte>> open(std::span<std::byte> record) noexcept;

 private:
  // A number that was never used before, with this key.
  using counted = std::array<unsigned char, 12>;
  counted next() noexcept;

  key key_;
  std::uint64_t number_ = 0;  // of the next record: 2^64 do not come
};

// How long the record is that begins with these bytes: of none there are such lengths.
std::optional<std::size_t> record_length(
    std::span<const std::byte, record_head_bytes> head) noexcept;

}  // namespace am::detail::tcp

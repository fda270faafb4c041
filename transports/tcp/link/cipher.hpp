// Records: a stream of bytes that no other process may read or change is cut into them. Each is
// sealed by itself together with its number in the stream, so that none can be left out, doubled or
// moved. docs/wire-format.md draws the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace am::detail::tcp {

using key = std::array<std::byte, 32>;

// Of one connection at one of its ends. The destructor wipes them.
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

  // Makes the next record of the `bytes` (1 to most_plain_bytes) at record + record_head_bytes.
  // Returns its length.
  std::size_t seal(std::byte* record, std::size_t bytes) noexcept;
  // Decrypts the next record in its place, and returns its plain bytes. Nothing: it is not the one
  // that was sealed, and its bytes are destroyed.
  std::optional<std::span<std::byte>> open(std::span<std::byte> record) noexcept;

 private:
  // Never used before with this key.
  using counter_nonce = std::array<unsigned char, 12>;
  counter_nonce next_nonce() noexcept;

  key key_;
  std::uint64_t number_ = 0;  // of the next record; 2^64 are never reached
};

// The length of the record that begins with these bytes; nothing: no record has that length.
std::optional<std::size_t> record_length(
    std::span<const std::byte, record_head_bytes> head) noexcept;

}  // namespace am::detail::tcp

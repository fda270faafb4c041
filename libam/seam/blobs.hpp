// Numbers and blobs as bytes, as they go between the ranks of a job and its launcher. A number has
// its low byte first; a blob is {key bytes, blob bytes, key, blob}, the sizes of 32 bits each, and
// blobs follow one after the other.
#pragma once

#include <libam/seam/boot.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace am::detail::seam {

using bytes_view = std::span<const std::byte>;
inline bytes_view as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text));
}

// ---- building ----

void add_number(std::string& to, std::uint32_t number);
void add_long(std::string& to, std::uint64_t number);
void add_blob(std::string& to, std::string_view key, bytes_view blob);

// ---- reading: defined for any bytes ----

class cursor {
 public:
  explicit cursor(bytes_view rest) noexcept : rest_(rest) {}
  // Nothing when fewer bytes are left than are requested.
  std::optional<std::uint32_t> number() noexcept;
  std::optional<std::uint64_t> long_number() noexcept;
  std::optional<bytes_view> bytes(std::size_t count) noexcept;
  [[nodiscard]] bytes_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }

 private:
  bytes_view rest_;
};

struct blob_view {
  std::string_view key;
  bytes_view blob;
};
// The next one; nothing if that is none.
std::optional<blob_view> read_blob(cursor& at) noexcept;
// Is `body` a sequence of blobs and nothing else?
bool are_blobs(bytes_view body) noexcept;

}  // namespace am::detail::seam

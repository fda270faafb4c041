// Bulk data: pieces of one size, contiguous in memory that is larger than a core's own cache, at
// both ends; piece n moves from place n to place n. Each cache line starts with its number. A
// sample moves every piece once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace calib {

struct bulk_spec {
  std::size_t bytes;  // of a piece, a multiple of 4096
  bool touched;       // the receiver reads every line of a piece on arrival

  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return std::max<std::size_t>(2 * bytes, std::size_t{8} << 20);
  }
  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return memory_bytes() / bytes; }
  // The name that a program reports to the driver: store/4096/touched.
  [[nodiscard]] std::string name(const char* probe) const {
    return std::string(probe) + '/' + std::to_string(bytes) + (touched ? "/touched" : "/untouched");
  }
};

inline constexpr std::size_t line_bytes = 64;

// The sum of the numbers at the start of the lines.
inline std::uint64_t sum_of_lines(const void* at, std::size_t bytes) noexcept {
  std::uint64_t sum = 0;
  const auto* line = static_cast<const volatile std::uint64_t*>(at);
  for (std::size_t i = 0; i < bytes / line_bytes; ++i) sum += line[i * (line_bytes / sizeof *line)];
  return sum;
}

// 1 for a piece that has arrived, plus the sum of its lines if it is touched.
inline std::uint64_t piece_checksum(const bulk_spec& what, const void* piece) noexcept {
  return 1 + (what.touched ? sum_of_lines(piece, what.bytes) : 0);
}

void number_lines(std::byte* at, std::size_t bytes) noexcept;

// The memory of the requester, its lines numbered: the source of stores, the target of gets.
class bulk_buffer {
 public:
  explicit bulk_buffer(std::size_t memory_bytes);
  ~bulk_buffer();
  bulk_buffer(const bulk_buffer&) = delete;
  bulk_buffer& operator=(const bulk_buffer&) = delete;

  [[nodiscard]] std::byte* piece(const bulk_spec& of, std::uint64_t n) const noexcept {
    return at_ + n * of.bytes;
  }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {at_, bytes_}; }

  // Before a sample: change the first and the last line of every piece, so that data of the
  // previous sample does not pass for data of this one. A stamp of 0 restores the initial state.
  void stamp(const bulk_spec& what, std::uint64_t sample) noexcept;
  void invalidate(const bulk_spec& what) noexcept;

  // The sum of the checksums of all pieces.
  [[nodiscard]] static std::uint64_t expected_store(const bulk_spec& what,
                                                    std::uint64_t sample) noexcept;
  [[nodiscard]] static std::uint64_t expected_get(const bulk_spec& what) noexcept;

 private:
  void mark(const bulk_spec& what, std::uint64_t added) noexcept;

  std::byte* at_;
  std::size_t bytes_;
};

// The memory that the largest of these sizes needs; 0: there are no sizes.
std::size_t bulk_memory_for(const std::vector<std::size_t>& sizes) noexcept;

}  // namespace calib

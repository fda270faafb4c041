// What bulk data is made of here: pieces of one size that lie side by side in more memory than
// stays in a core's own cache, at both ends, so that the n-th piece goes from place n to place n.
// Each line of 64 bytes has its number in front. A sample moves every piece once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace calib {

struct bulk {
  std::size_t bytes;  // of a piece, a multiple of 4096
  bool touched;       // the reader looks at every line when a piece has come

  [[nodiscard]] constexpr std::size_t room() const noexcept {
    return std::max<std::size_t>(2 * bytes, std::size_t{8} << 20);
  }
  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return room() / bytes; }
  // store/4096/touched: how a program names it to the driver.
  [[nodiscard]] std::string name(const char* probe) const {
    return std::string(probe) + '/' + std::to_string(bytes) + (touched ? "/touched" : "/untouched");
  }
};

inline constexpr std::size_t line_bytes = 64;

// What a reader that looks adds up: the number in front of each line.
inline std::uint64_t sum_of_lines(const void* at, std::size_t bytes) noexcept {
  std::uint64_t sum = 0;
  const auto* line = static_cast<const volatile std::uint64_t*>(at);
  for (std::size_t i = 0; i < bytes / line_bytes; ++i) sum += line[i * (line_bytes / sizeof *line)];
  return sum;
}

// One for a piece that has come, and what its lines add up to if the reader looks.
inline std::uint64_t tally(const bulk& what, const void* piece) noexcept {
  return 1 + (what.touched ? sum_of_lines(piece, what.bytes) : 0);
}

// Numbers all lines of some memory.
void number_lines(std::byte* at, std::size_t bytes) noexcept;

// The memory of the asking side, its lines numbered: the source of stores, the target of gets.
class cargo {
 public:
  explicit cargo(std::size_t room);
  ~cargo();
  cargo(const cargo&) = delete;
  cargo& operator=(const cargo&) = delete;

  [[nodiscard]] std::byte* piece(const bulk& of, std::uint64_t n) const noexcept {
    return at_ + n * of.bytes;
  }

  // Before a sample: changes the first and the last line of every piece, so that what came in
  // the sample before is told from what comes now. A stamp of 0 is how it was at first.
  void stamp(const bulk& what, std::uint64_t sample) noexcept;
  void wipe(const bulk& what) noexcept;

  // What the tallies of all pieces add up to.
  [[nodiscard]] static std::uint64_t expected_store(const bulk& what,
                                                    std::uint64_t sample) noexcept;
  [[nodiscard]] static std::uint64_t expected_get(const bulk& what) noexcept;

 private:
  void mark(const bulk& what, std::uint64_t added) noexcept;

  std::byte* at_;
  std::size_t room_;
};

// The room that the largest of these sizes needs; 0: there are none.
std::size_t room_for(const std::vector<std::size_t>& sizes) noexcept;

}  // namespace calib

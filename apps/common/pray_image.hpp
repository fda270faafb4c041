// The image of pray: its tiles, the pixels that a rank has computed, the serial reference and the
// check.
#pragma once

#include "pray_grid.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace apps::pray {

// What a program makes of its size, a number of pixels: a square image.
constexpr std::size_t side_of(std::size_t pixels) noexcept {
  std::size_t side = 1;
  while ((side + 1) * (side + 1) <= pixels) ++side;
  return side;
}

struct pixel {
  std::uint32_t row;
  std::uint32_t column;
};

// Tiles of 16 x 16 pixels, or less at the right and at the bottom.
class tiling {
 public:
  explicit tiling(std::size_t side)
      : side_(static_cast<std::uint32_t>(side)), tiles_((side_ + edge - 1) / edge) {}

  [[nodiscard]] std::size_t tiles() const noexcept { return std::size_t{tiles_} * tiles_; }
  [[nodiscard]] std::vector<pixel> pixels_of(std::size_t tile) const {
    const std::uint32_t top = static_cast<std::uint32_t>(tile) / tiles_ * edge;
    const std::uint32_t left = static_cast<std::uint32_t>(tile) % tiles_ * edge;
    std::vector<pixel> out;
    for (std::uint32_t row = top; row < std::min(top + edge, side_); ++row)
      for (std::uint32_t column = left; column < std::min(left + edge, side_); ++column)
        out.push_back({row, column});
    return out;
  }

 private:
  static constexpr std::uint32_t edge = 16;

  std::uint32_t side_;
  std::uint32_t tiles_;  // in each direction
};

struct painted_pixel {
  pixel at;
  std::uint32_t rgb;
};

inline painted_pixel paint(pixel at, vec colour) noexcept {
  const auto byte = [](double part) { return static_cast<std::uint32_t>(part * 255 + 0.5); };
  return {at, byte(colour.x) << 16 | byte(colour.y) << 8 | byte(colour.z)};
}

// All in one process.
class serial_reference {
 public:
  serial_reference(std::uint64_t seed, std::size_t side);

  [[nodiscard]] std::vector<painted_pixel> render() const;
  // Do some of these pixels have the colours that are found without a grid?
  [[nodiscard]] bool is_right_without_grid(std::span<const painted_pixel> pixels) const;

 private:
  std::size_t side_;
  scene scene_;
  grid grid_;
  dealt_cells cells_;
  std::vector<sphere> lists_;
};

// Equal for the same pixels in any order, and hardly for others.
inline std::uint64_t hash_of(std::span<const painted_pixel> pixels) noexcept {
  std::uint64_t sum = 0;
  for (const painted_pixel& one : pixels)
    sum += random_word(std::uint64_t{one.at.row} << 32 | one.at.column, one.rgb);
  return sum;
}

// Are all ranks' pixels together those of the reference, each once? `sum` adds up over the ranks.
template <class Sum>
bool are_right(std::span<const painted_pixel> mine, std::uint64_t seed, std::size_t side,
               Sum&& sum) {
  const serial_reference whole(seed, side);
  const std::vector<painted_pixel> pixels = whole.render();
  const std::uint64_t all = sum(mine.size());
  const std::uint64_t hash = sum(hash_of(mine));
  return all == pixels.size() && hash == hash_of(pixels) && whole.is_right_without_grid(pixels);
}

}  // namespace apps::pray

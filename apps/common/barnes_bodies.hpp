// The bodies of barnes: where they are at first, the boxes and the cube around them, and the order
// along a Morton curve, in which bodies that follow each other are near each other.
#pragma once

#include "options.hpp"
#include "random.hpp"
#include "vectors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace apps::barnes {

inline constexpr unsigned steps = 3;
inline constexpr double time_step = 0.01;

// What attracts others: a body, or the bodies of a cell together.
struct point_mass {
  vec at;
  double mass;

  friend bool operator==(const point_mass&, const point_mass&) = default;
};

struct body {
  point_mass here;
  vec velocity;

  friend bool operator==(const body&, const body&) = default;
};

// ---- boxes --------------------------------------------------------------------------------------

struct box {
  vec low;
  vec high;

  void include(const box& other) noexcept {
    low = {std::min(low.x, other.low.x), std::min(low.y, other.low.y),
           std::min(low.z, other.low.z)};
    high = {std::max(high.x, other.high.x), std::max(high.y, other.high.y),
            std::max(high.z, other.high.z)};
  }
  // The square of the distance of its nearest point.
  [[nodiscard]] double distance2(vec to) const noexcept {
    const vec off = {std::max({low.x - to.x, to.x - high.x, 0.0}),
                     std::max({low.y - to.y, to.y - high.y, 0.0}),
                     std::max({low.z - to.z, to.z - high.z, 0.0})};
    return dot(off, off);
  }
};

inline box box_of(std::span<const body> bodies) {
  box out{bodies.front().here.at, bodies.front().here.at};
  for (const body& one : bodies) out.include({one.here.at, one.here.at});
  return out;
}

struct cube {
  vec low;
  double side;

  explicit cube(const box& around)
      : low(around.low),
        side(std::max({around.high.x - low.x, around.high.y - low.y, around.high.z - low.z})) {}
};

// ---- the Morton curve ---------------------------------------------------------------------------

// A cube has 2^21 places in each dimension, and their number on the curve is one octal digit for
// each halving, the highest for the first.
inline constexpr int halvings = 21;

// Bit i moves to bit 3 i.
constexpr std::uint64_t spread_bits(std::uint64_t x) noexcept {
  x = (x | x << 32) & 0x001f00000000ffffU;
  x = (x | x << 16) & 0x001f0000ff0000ffU;
  x = (x | x << 8) & 0x100f00f00f00f00fU;
  x = (x | x << 4) & 0x10c30c30c30c30c3U;
  return (x | x << 2) & 0x1249249249249249U;
}
// And back; other bits do not matter.
constexpr std::uint64_t gather_bits(std::uint64_t x) noexcept {
  x &= 0x1249249249249249U;
  x = (x | x >> 2) & 0x10c30c30c30c30c3U;
  x = (x | x >> 4) & 0x100f00f00f00f00fU;
  x = (x | x >> 8) & 0x001f0000ff0000ffU;
  x = (x | x >> 16) & 0x001f00000000ffffU;
  return (x | x >> 32) & 0x00000000001fffffU;
}

inline std::uint64_t key_of(const cube& in, vec at) noexcept {
  constexpr std::uint64_t places = std::uint64_t{1} << halvings;
  const auto place = [&](double offset) {
    const double scaled = offset / in.side * static_cast<double>(places);
    return spread_bits(std::min(static_cast<std::uint64_t>(scaled), places - 1));
  };
  const vec offset = at - in.low;
  return place(offset.x) << 2 | place(offset.y) << 1 | place(offset.z);
}

// ---- the input ----------------------------------------------------------------------------------

// Body i of n has a random place in the i-th of n equal parts of the curve. Then space is drawn
// together towards the middle, where it becomes about a thousand times as dense as at the corners.
inline body body_at(std::uint64_t seed, std::size_t i, std::size_t n) noexcept {
  const std::uint64_t part = (std::uint64_t{1} << (3 * halvings)) / n;
  const std::uint64_t key = part * i + random_word(seed, 4 * i) % part;
  const auto coordinate = [&](std::uint64_t bits) {
    const double off = static_cast<double>(gather_bits(bits)) * 0x1p-21 - 0.5;
    return 0.25 * off + 3 * off * off * off;
  };
  const auto speed = [&](std::size_t axis) { return random_unit(seed, 4 * i + 1 + axis) - 0.5; };
  return {
      {{coordinate(key >> 2), coordinate(key >> 1), coordinate(key)}, 1 / static_cast<double>(n)},
      {speed(0), speed(1), speed(2)}};
}

inline std::vector<body> make_bodies(std::uint64_t seed, std::size_t first, std::size_t count,
                                     std::size_t n) {
  std::vector<body> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(body_at(seed, first + i, n));
  return out;
}

}  // namespace apps::barnes

// A fast Fourier transform of n points by decimation in frequency: its stages, and the serial
// reference. Stage by stage, points at half the distance before are combined; the result is in
// bit-reversed order.
#pragma once

#include "random.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace apps::fft {

using point = std::complex<double>;

inline point point_at(std::uint64_t seed, std::size_t i) {
  return {random_unit(seed, 2 * i) - 0.5, random_unit(seed, 2 * i + 1) - 0.5};
}

class transform {
 public:
  // n: a power of two.
  explicit transform(std::size_t n) : n_(n), roots_(n / 2) {
    for (std::size_t i = 0; i < roots_.size(); ++i)
      roots_[i] =
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  }

  // Of points first, first + step and so on of all: the stage that combines points at `distance`,
  // which is a multiple of step.
  void stage(std::span<point> points, std::size_t distance, std::size_t first = 0,
             std::size_t step = 1) const {
    const std::size_t near = distance / step;
    const std::size_t turn = n_ / (2 * distance);
    for (std::size_t base = 0; base < points.size(); base += 2 * near)
      for (std::size_t i = 0; i < near; ++i) {
        point& a = points[base + i];
        point& b = points[base + i + near];
        const point difference = a - b;
        a += b;
        b = times(difference, roots_[(i * step + first) * turn]);
      }
  }
  // Do some points of this result of serially() agree with the definition?
  [[nodiscard]] bool agrees(std::span<const point> input, std::span<const point> result) const {
    for (const std::size_t frequency : {std::size_t{0}, std::size_t{1}, n_ / 4, n_ / 2, n_ - 1}) {
      point sum = 0;
      for (std::size_t i = 0; i < n_; ++i)
        sum += input[i] *
               std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i * frequency % n_) /
                                   static_cast<double>(n_));
      if (std::abs(sum - result[reversed(frequency)]) > 1e-11 * static_cast<double>(n_))
        return false;
    }
    return true;
  }
  void serially(std::span<point> points) const {
    for (std::size_t distance = n_ / 2; distance > 0; distance /= 2) stage(points, distance);
  }

 private:
  // The place of a frequency: its bits in reverse order.
  [[nodiscard]] std::size_t reversed(std::size_t frequency) const {
    std::size_t out = 0;
    for (std::size_t bit = 1; bit < n_; bit *= 2)
      if ((frequency & bit) != 0) out += n_ / 2 / bit;
    return out;
  }
  // Without the checks for infinities that operator* has.
  static point times(point a, point b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  std::size_t n_;
  std::vector<point> roots_;
};

// How the points are dealt: over the first `ranks` ranks, a power of two, with `block` at each.
// Both ways of dealing fit if each rank has one block for each.
struct layout {
  std::size_t points;
  std::size_t ranks;
  std::size_t block;   // of a rank
  std::size_t packet;  // from one rank to another

  layout(std::size_t size, std::size_t all_ranks)
      : points(size),
        ranks(std::bit_floor(all_ranks)),
        block(points / ranks),
        packet(block / ranks) {}
};

// Are these the points of a rank's block? The operations are those of the serial reference, so they
// are the same to the last bit; and the reference agrees with the definition.
inline bool are_right(const transform& how, const layout& dealt, std::uint64_t seed,
                      std::size_t rank, std::span<const point> mine) {
  std::vector<point> input;
  for (std::size_t i = 0; i < dealt.points; ++i) input.push_back(point_at(seed, i));
  std::vector<point> all = input;
  how.serially(all);
  return how.agrees(input, all) &&
         (rank >= dealt.ranks ||
          std::ranges::equal(mine, std::span(all).subspan(rank * dealt.block, mine.size())));
}

}  // namespace apps::fft

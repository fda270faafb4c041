// The scene of pray: shining spheres in a unit cube over a plane, a light and a camera.
#pragma once

#include "random.hpp"
#include "vectors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace apps::pray {

struct sphere {
  vec centre;
  double radius;
  vec colour;
  double shine;  // the part of light that it reflects as a mirror does
};

struct ray {
  vec from;
  vec towards;  // of length 1
};

inline constexpr vec light = {-0.8, 2.5, -1.2};
inline constexpr vec camera = {0.5, 0.8, -1.3};
inline constexpr double plane_y = -0.05;
inline constexpr double plane_shine = 0.2;

// The objects become more as the image becomes finer: for 1024 x 1024 pixels 16,390, as in ISCA'97.
class scene {
 public:
  scene(std::uint64_t seed, std::size_t side) : seed_(seed), small_(16 * side) {}

  // Of spheres.
  [[nodiscard]] std::size_t size() const noexcept { return large + small_; }
  [[nodiscard]] sphere sphere_at(std::size_t i) const noexcept {
    const auto random = [&](std::uint64_t which) { return random_unit(seed_, 8 * i + which); };
    const double radius = i < large ? 0.05 + 0.05 * random(0) : small_radius() * (0.5 + random(0));
    const auto coordinate = [&](std::uint64_t which) {
      return radius + (1 - 2 * radius) * random(which);
    };
    return {{coordinate(1), coordinate(2), coordinate(3)},
            radius,
            {0.3 + 0.7 * random(4), 0.3 + 0.7 * random(5), 0.3 + 0.7 * random(6)},
            0.5 * random(7)};
  }

 private:
  static constexpr std::size_t large = 6;

  // A third of the distance to a neighbour.
  [[nodiscard]] double small_radius() const noexcept {
    return 0.3 / std::cbrt(static_cast<double>(small_));
  }

  std::uint64_t seed_;
  std::size_t small_;
};

// Through the middle of a pixel of an image of side x side pixels, of which row 0 is the top.
inline ray ray_through(std::size_t side, std::size_t row, std::size_t column) noexcept {
  const double scale = 1 / static_cast<double>(side);
  const double right = (static_cast<double>(column) + 0.5) * scale - 0.5;
  const double up = 0.5 - (static_cast<double>(row) + 0.5) * scale;
  // It looks a little downwards.
  return {camera, unit({right, up - 0.2, 1})};
}

// The distance at which a ray that is outside the sphere meets it; 0: it does not.
inline double distance_to(const ray& of, const sphere& to) noexcept {
  const vec off = to.centre - of.from;
  const double along = dot(off, of.towards);
  const double inside = along * along - dot(off, off) + to.radius * to.radius;
  if (along <= 0 || inside <= 0) return 0;
  return std::max(along - std::sqrt(inside), 0.0);
}

}  // namespace apps::pray

// Vectors in space.
#pragma once

#include <cmath>

namespace apps {

struct vec {
  double x, y, z;

  friend constexpr bool operator==(const vec&, const vec&) = default;
  friend constexpr vec operator+(vec a, vec b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend constexpr vec operator-(vec a, vec b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend constexpr vec operator*(double factor, vec a) noexcept {
    return {factor * a.x, factor * a.y, factor * a.z};
  }
};

constexpr double dot(vec a, vec b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(vec a) noexcept { return std::sqrt(dot(a, a)); }
inline vec unit(vec a) noexcept { return (1 / length(a)) * a; }

}  // namespace apps

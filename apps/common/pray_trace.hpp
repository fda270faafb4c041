// Ray tracing: the colour of what a ray meets, with its shadows and one mirror image.
#pragma once

#include "pray_grid.hpp"

#include <span>

namespace apps::pray {

// `Spheres` finds those along a ray: visit(ray, on_spheres) calls on_spheres(spheres, reach), until
// that returns true, such that after each call all spheres that the ray meets within that reach
// have been seen.
template <class Spheres>
class tracer {
 public:
  explicit tracer(Spheres& spheres) : spheres_(spheres) {}

  // Red, green and blue, each from 0 to 1.
  vec colour_of(const ray& one, unsigned mirrors = 1) {
    const surface met = nearest(one);
    if (met.distance == infinity) return sky(one.towards);
    const vec at = one.from + met.distance * one.towards;
    vec out = brightness(at, met.normal) * met.colour;
    if (mirrors > 0) {
      const vec mirrored = one.towards - 2 * dot(one.towards, met.normal) * met.normal;
      out = (1 - met.shine) * out + met.shine * colour_of({at, unit(mirrored)}, mirrors - 1);
    }
    return out;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  struct surface {
    double distance;
    vec normal;
    vec colour;
    double shine;
  };

  surface nearest(const ray& one) {
    double distance = infinity;
    sphere met{};
    spheres_.visit(one, [&](std::span<const sphere> some, double reach) {
      for (const sphere& each : some)
        if (const double to = distance_to(one, each); to > 0 && to < distance) {
          distance = to;
          met = each;
        }
      return distance <= reach;
    });
    if (one.towards.y < 0)
      if (const double to = (plane_y - one.from.y) / one.towards.y; to < distance)
        return {to, {0, 1, 0}, tile_colour(one.from + to * one.towards), plane_shine};
    if (distance == infinity) return {distance, {}, {}, 0};
    const vec normal = (1 / met.radius) * (one.from + distance * one.towards - met.centre);
    return {distance, normal, met.colour, met.shine};
  }

  double brightness(vec at, vec normal) {
    constexpr double ambient = 0.15;
    const vec to_light = light - at;
    const double distance = length(to_light);
    const ray back = {at, (1 / distance) * to_light};
    const double slant = dot(back.towards, normal);
    if (slant <= 0 || is_shaded(back, distance)) return ambient;
    return ambient + (1 - ambient) * slant;
  }
  bool is_shaded(const ray& back, double distance) {
    bool is = false;
    spheres_.visit(back, [&](std::span<const sphere> some, double) {
      is = std::ranges::any_of(some, [&](const sphere& each) {
        const double to = distance_to(back, each);
        return to > 0 && to < distance;
      });
      return is;
    });
    return is;
  }

  static vec sky(vec towards) noexcept {
    const double height = std::clamp(towards.y, 0.0, 1.0);
    return {0.8 - 0.5 * height, 0.9 - 0.4 * height, 1};
  }
  // Of the plane, which is tiled.
  static vec tile_colour(vec at) noexcept {
    const double number = std::floor(4 * at.x) + std::floor(4 * at.z);
    return number == 2 * std::floor(number / 2) ? vec{0.9, 0.9, 0.9} : vec{0.3, 0.3, 0.35};
  }

  Spheres& spheres_;
};

// Finds spheres by the grid. `ListOf` returns the spheres of a cell; they need to be there until
// the next call only.
template <class ListOf>
class in_grid {
 public:
  in_grid(const grid& cells, ListOf list_of) : grid_(cells), list_of_(std::move(list_of)) {}

  template <class OnSpheres>
  void visit(const ray& along, OnSpheres&& on_spheres) {
    grid_.walk(along, [&](cell_number cell, double reach) {
      return on_spheres(std::span<const sphere>(list_of_(cell)), reach);
    });
  }

 private:
  const grid& grid_;
  ListOf list_of_;
};

}  // namespace apps::pray

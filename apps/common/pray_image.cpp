#include "pray_image.hpp"

#include "pray_trace.hpp"

namespace apps::pray {
namespace {

class all_spheres {
 public:
  explicit all_spheres(const scene& of) {
    for (std::size_t i = 0; i < of.size(); ++i) spheres_.push_back(of.sphere_at(i));
  }
  template <class OnSpheres>
  void visit(const ray&, OnSpheres&& on_spheres) const {
    on_spheres(std::span<const sphere>(spheres_), std::numeric_limits<double>::infinity());
  }

 private:
  std::vector<sphere> spheres_;
};

}  // namespace

serial_reference::serial_reference(std::uint64_t seed, std::size_t side)
    : side_(side),
      scene_(seed, side),
      grid_(scene_),
      cells_(scene_, grid_, 1),
      lists_(cells_.make_lists(0)) {}

std::vector<painted_pixel> serial_reference::render() const {
  in_grid spheres(grid_, [&](cell_number cell) {
    return std::span(lists_).subspan(cells_.of(cell).first, cells_.of(cell).size);
  });
  tracer trace(spheres);
  std::vector<painted_pixel> out;
  const tiling tiles(side_);
  for (std::size_t i = 0; i < tiles.tiles(); ++i)
    for (const pixel at : tiles.pixels_of(i))
      out.push_back(paint(at, trace.colour_of(ray_through(side_, at.row, at.column))));
  return out;
}

bool serial_reference::is_right_without_grid(std::span<const painted_pixel> pixels) const {
  constexpr std::size_t some = 128;
  all_spheres spheres(scene_);
  tracer trace(spheres);
  for (std::size_t i = 0; i < some; ++i) {
    const painted_pixel& one = pixels[(2 * i + 1) * pixels.size() / (2 * some)];
    const vec colour = trace.colour_of(ray_through(side_, one.at.row, one.at.column));
    if (paint(one.at, colour).rgb != one.rgb) return false;
  }
  return true;
}

}  // namespace apps::pray

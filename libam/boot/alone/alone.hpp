// A job of one rank.
#pragma once

#include <libam/seam/boot.hpp>

#include <memory>
#include <string>

namespace am::detail::boot {

// `folder`: for shared memory, if that must be a file.
std::unique_ptr<seam::boot> make_alone(std::string folder);

}  // namespace am::detail::boot

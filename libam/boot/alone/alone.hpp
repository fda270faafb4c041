// A job of one: nobody to ask, nobody to wait for.
#pragma once

#include <libam/seam/boot.hpp>

#include <memory>
#include <string>

namespace am::detail::boot {

// `folder`: for shared memory, if that must be a file.
std::unique_ptr<seam::boot> make_alone(std::string folder);

}  // namespace am::detail::boot

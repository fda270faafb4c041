// A job of one: nobody to ask, nobody to wait for.
#pragma once

#include <libam/seam/boot.hpp>

#include <memory>

namespace am::detail::boot {

std::unique_ptr<seam::boot> make_alone();

}  // namespace am::detail::boot

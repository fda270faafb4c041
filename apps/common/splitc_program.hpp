// The main function of the Split-C programs of the suite.
#pragma once

#include "libam_program.hpp"

#include <am/splitc.hpp>

namespace apps {

using am::splitc::global_ptr;
using am::splitc::spread_array;
using am::splitc::world;

template <program_in<world> Program>
int splitc_main(const description& of, int argc, char** argv) {
  return libam_main<world, Program>(of, argc, argv);
}

}  // namespace apps

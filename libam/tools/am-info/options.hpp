// The command line of am-info.
#pragma once

#include <am/types.h>

#include <optional>

namespace am::detail::info {

struct options {
  bool settings = false;
  bool memory = false;
  am_rank ranks = 2;
  bool json = false;
};

// The status to end with, if there is nothing to tell: after --help, or after bad usage.
std::optional<int> read_options(int argc, char** argv, options& out);

}  // namespace am::detail::info

// The command line of stress.
#pragma once

#include <cstdint>
#include <optional>

namespace stress {

enum class pattern { all_to_all, pairs, ring };

struct options {
  pattern to = pattern::all_to_all;
  double seconds = 10;
  std::uint64_t seed = 1;
};

// The exit status, if there is nothing to do: after --help, or after bad usage.
std::optional<int> read_options(int argc, char** argv, options& out);

}  // namespace stress

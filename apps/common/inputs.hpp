// The sizes of the programs' inputs: a program and its twins have the same.
#pragma once

#include "options.hpp"

namespace apps::inputs {

inline constexpr input radix{"radix", 1 << 17, 1 << 23, 1 << 24, "keys"};
inline constexpr input radb{"radb", 1 << 17, 1 << 23, 1 << 24, "keys"};
inline constexpr input sample{"sample", 1 << 17, 1 << 23, 1 << 25, "keys"};
inline constexpr input em3d{"em3d", 4000, 40000, 80000, "nodes"};
inline constexpr input mm{"mm", 480, 1920, 2048, "rows"};
inline constexpr input fft{"fft", 1 << 17, 1 << 22, 1 << 24, "points", true};
inline constexpr input nowsort{"nowsort", 1 << 17, 1 << 23, 1 << 25, "records"};
inline constexpr input lu{"lu", 768, 3840, 2048, "rows"};

}  // namespace apps::inputs

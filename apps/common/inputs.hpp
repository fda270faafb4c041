// The sizes of the programs' inputs: a program and its twins have the same.
#pragma once

#include "options.hpp"

namespace apps::inputs {

inline constexpr input radix{"radix", 1 << 17, 1 << 23, 1 << 24, "keys"};
inline constexpr input radb{"radb", 1 << 17, 1 << 23, 1 << 24, "keys"};
inline constexpr input sample{"sample", 1 << 17, 1 << 23, 1 << 25, "keys"};
inline constexpr input em3d{"em3d", 4000, 40000, 80000, "nodes"};
inline constexpr input barnes{"barnes", 1 << 13, 1 << 18, 1 << 20, "bodies"};
inline constexpr input pray{"pray", 1 << 15, 1 << 22, 1 << 20, "pixels"};
inline constexpr input murphi{"murphi", 1 << 17, 1 << 21, 1 << 21, "states"};
inline constexpr input connect{"connect", 1 << 18, 1 << 24, 1 << 22, "nodes"};
inline constexpr input nowsort{"nowsort", 1 << 17, 1 << 23, 1 << 25, "records"};
inline constexpr input mm{"mm", 480, 1920, 2048, "rows"};
inline constexpr input lu{"lu", 768, 3840, 2048, "rows"};
inline constexpr input fft{"fft", 1 << 17, 1 << 22, 1 << 24, "points", true};

}  // namespace apps::inputs

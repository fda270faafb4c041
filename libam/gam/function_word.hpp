// A function as a word that means the same in every process that runs the same files: its file's
// identity and its offset there. For interfaces that name functions by bare pointers.
//
//   63     61 60              40 39                  0
//   +--------+------------------+---------------------+
//   | number | digest of file   | offset in the file  |
//   +--------+------------------+---------------------+
#pragma once

#include <am/types.h>

#include <cstdint>

namespace am::detail::gam {

using any_function = void (*)();

// `number` is the caller's, 0 to 7. Returns 0 for an address of no function.
am_word word_of(any_function function, unsigned number) noexcept;

// Null: this process has no code there.
any_function function_of(am_word word) noexcept;
constexpr unsigned number_of(am_word word) noexcept { return static_cast<unsigned>(word >> 61); }

// Where this program (not its libraries) is loaded, from the lowest address to past the highest.
struct image {
  std::uintptr_t start;
  std::uintptr_t end;
};
image program_image() noexcept;

}  // namespace am::detail::gam

// Counts what the small path must not do: allocate and make system calls. Between begin and end
// every allocation is counted, and the first system call ends the program with its number.
#pragma once

namespace am_test {

// False where the kernel cannot report system calls (syscall user dispatch, Linux 5.11, x86-64).
bool can_catch_system_calls() noexcept;

void begin_counting() noexcept;
// The number of allocations.
unsigned long end_counting() noexcept;

}  // namespace am_test

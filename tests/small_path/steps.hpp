// Counts the instructions that this thread runs between begin and end: the processor traps after
// each of them (the trap flag of x86-64), and the signal handler counts.
#pragma once

namespace am_test {

void begin_steps() noexcept;
// The number of instructions, without the cost of the counting itself.
unsigned long end_steps() noexcept;

}  // namespace am_test

// Counts the instructions that this thread runs between begin and end: the processor traps behind
// each of them (the trap flag of x86-64), and the signal's handler counts.
#pragma once

namespace am_test {

void begin_steps() noexcept;
// How many there were; what the counting itself takes is not among them.
unsigned long end_steps() noexcept;

}  // namespace am_test

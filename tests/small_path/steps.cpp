#include "steps.hpp"

#include <signal.h>

namespace {

constexpr unsigned long trap_flag = 0x100;
volatile unsigned long steps = 0;

void on_step(int) { steps = steps + 1; }

void set_trap_flag() noexcept {
  asm volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" ::"i"(trap_flag) : "memory", "cc");
}
void clear_trap_flag() noexcept {
  asm volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq" ::"i"(~trap_flag) : "memory", "cc");
}

unsigned long overhead = 0;

}  // namespace

namespace am_test {

[[gnu::noinline]] void begin_steps() noexcept {
  steps = 0;
  set_trap_flag();
}

[[gnu::noinline]] unsigned long end_steps() noexcept {
  clear_trap_flag();
  return steps - overhead;
}

// Installs the handler of the process, and measures the overhead of the counting itself.
[[gnu::constructor]] static void prepare() {
  struct sigaction action {};
  action.sa_handler = on_step;
  ::sigaction(SIGTRAP, &action, nullptr);
  begin_steps();
  overhead = end_steps();
}

}  // namespace am_test

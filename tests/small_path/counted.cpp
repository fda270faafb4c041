#include "counted.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

// From linux/prctl.h, which not all of Debian's C library headers have.
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#define SYSCALL_DISPATCH_FILTER_ALLOW 0
#define SYSCALL_DISPATCH_FILTER_BLOCK 1
#endif

namespace {

// The kernel reads this byte at every system call of this thread.
volatile char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
volatile bool counting = false;
unsigned long allocations = 0;

void on_system_call(int, siginfo_t* info, void*) {
  selector = SYSCALL_DISPATCH_FILTER_ALLOW;
  char text[80];
  const int length =
      std::snprintf(text, sizeof text, "the small path made system call %d\n", info->si_syscall);
  (void)!::write(2, text, static_cast<std::size_t>(length));
  ::_exit(4);
}

}  // namespace

namespace am_test {

bool can_catch_system_calls() noexcept {
  struct sigaction action {};
  action.sa_sigaction = on_system_call;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSYS, &action, nullptr);
  return ::prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &selector) == 0;
}

void begin_counting() noexcept {
  allocations = 0;
  counting = true;
  selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}

unsigned long end_counting() noexcept {
  selector = SYSCALL_DISPATCH_FILTER_ALLOW;
  counting = false;
  return allocations;
}

}  // namespace am_test

// ---- every allocation of this process, libam's included ----

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  allocations += counting;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  allocations += counting;
  return __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  allocations += counting;
  return __libc_realloc(old, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  allocations += counting;
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  *out = memalign(alignment, bytes);
  return *out == nullptr ? 12 : 0;
}
}

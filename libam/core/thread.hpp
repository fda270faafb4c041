// Identifies the calling thread by one load, so that every call can check it.
#pragma once

namespace am::detail::core {

inline const void* this_thread() noexcept {
#if defined(__x86_64__)
  const void* self;
  asm("mov %%fs:0, %0" : "=r"(self));  // the thread control block begins with its own address
  return self;
#elif defined(__aarch64__)
  const void* self;
  asm("mrs %0, tpidr_el0" : "=r"(self));
  return self;
#else
  static thread_local char here;
  return &here;
#endif
}

}  // namespace am::detail::core

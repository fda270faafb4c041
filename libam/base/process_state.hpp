// The state of a process, from the kernel.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace am::detail::base {

// "is stopped", "runs", "sleeps", … or "is gone".
std::string_view process_state(pid_t pid);

// True: it has ended or is about to, as far as can be seen. A process of which only the first
// thread has ended is alive.
bool is_gone(pid_t pid) noexcept;

// The namespace of this process's pid; 0: that cannot be seen.
std::uint64_t pid_namespace();

}  // namespace am::detail::base

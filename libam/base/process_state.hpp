// What a process does, by the kernel's word.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

namespace am::detail::base {

// "is stopped", "runs", "sleeps", … or "is gone".
std::string_view process_state(pid_t pid);

// It has ended or is about to, as far as can be seen. A process whose first thread alone has ended
// lives.
bool is_gone(pid_t pid) noexcept;

// In which namespace this process has its pid; 0: that cannot be seen.
std::uint64_t pid_namespace();

}  // namespace am::detail::base

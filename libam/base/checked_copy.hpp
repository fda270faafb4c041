// Copies between addresses that may not be mapped: the kernel copies, and says so where a plain
// copy would fault. Costs a system call, or two for every 64 KiB where the first way is forbidden.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace am::detail::base {

enum class copied {
  all,
  bad_there,  // not all of it is mapped; some bytes may have been copied
  bad_here,   // the same of the other end
  forbidden   // this process may not touch that one's memory, or it is gone
};

// Between this process and `pid`, which may be this one.
copied copy_to_process(pid_t pid, void* there, const void* here, std::size_t bytes) noexcept;
copied copy_from_process(pid_t pid, void* here, const void* there, std::size_t bytes) noexcept;

// Within this process, from here to there. Never forbidden.
copied copy_checked(void* to, const void* from, std::size_t bytes) noexcept;

// Whether an atomic operation on this word would be carried out rather than fault.
bool word_can_be_written(void* word) noexcept;

}  // namespace am::detail::base

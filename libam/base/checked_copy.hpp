// Copies between addresses that may not be mapped: the kernel copies, and reports an error where a
// plain copy would fault. It costs a system call, or two for every 64 KiB where the first method is
// forbidden.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace am::detail::base {

enum class copy_status {
  all,
  bad_remote_address,  // `there` is not all mapped; some bytes may have been copied
  bad_local_address,   // the same for `here`
  forbidden            // this process may not access that one's memory, or it has ended
};

// Between this process and `pid`, which may be this one.
copy_status copy_to_process(pid_t pid, void* there, const void* here, std::size_t bytes) noexcept;
copy_status copy_from_process(pid_t pid, void* here, const void* there, std::size_t bytes) noexcept;

// Within this process, with `to` as `there` and `from` as `here`. Never forbidden.
copy_status copy_checked(void* to, const void* from, std::size_t bytes) noexcept;

// Would an atomic operation on this word succeed, rather than fault?
bool is_word_writable(void* word) noexcept;

}  // namespace am::detail::base

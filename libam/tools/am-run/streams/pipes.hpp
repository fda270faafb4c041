// Pipes whose ends close when a program is executed.
#pragma once

#include <libam/base/fd.hpp>

#include <fcntl.h>

namespace am::detail::run {

// False with errno. `flags`: O_NONBLOCK, for both ends.
inline bool make_pipe(base::fd& to_read, base::fd& to_write, int flags = 0) {
  int both[2];
  if (::pipe2(both, O_CLOEXEC | flags) != 0) return false;
  to_read = base::fd(both[0]);
  to_write = base::fd(both[1]);
  return true;
}

}  // namespace am::detail::run

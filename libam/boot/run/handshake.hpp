// How a process gets into the job: hello through the door, welcome on the conversation.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/seam/boot.hpp>

#include <string>

namespace am::detail::boot {

// What one join has brought.
struct membership {
  am_rank rank = 0;
  am_rank ranks = 0;
  unsigned cpus = 0;      // what am-run has for all ranks of this host
  unsigned bound_to = 0;  // the one that it has bound this rank to, or not_bound
  seam::job_secret secret{};
  base::fd conversation;
  base::fd lifeline;
  base::fd memory;  // the memfd that the ranks of this host share
  base::fd bell;    // by which this rank is woken and wakes others
};

// False and one line that names the stage. The door stays open for the next join.
bool shake_hands(int door, membership& got, std::string& why);

// Waits until `socket` can be read or written (POLLIN, POLLOUT), at most the deadline for answers
// that am-run gives at once.
bool wait_for_socket(int socket, short events);
inline constexpr int answer_deadline_s = 10;

}  // namespace am::detail::boot

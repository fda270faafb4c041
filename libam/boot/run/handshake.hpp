// How a process joins the job: hello through the join socket, welcome on the connection.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/seam/boot.hpp>

#include <string>

namespace am::detail::boot {

// The results of a join.
struct join_result {
  am_rank rank = 0;
  am_rank ranks = 0;
  am_rank ranks_here = 0;  // those on this host
  unsigned cpus = 0;       // of am-run, for all ranks of this host
  unsigned bound_to = 0;   // the cpu to which am-run has bound this rank, or not_bound
  std::uint64_t host_id = 0;
  seam::job_secret secret{};
  base::fd connection;
  base::fd lifeline;
  base::fd memory;  // the memfd that the ranks of this host share
  base::fd wakeup;  // the socket by which this rank is woken and wakes others
};

// False and one line that names the stage. The join socket stays open for the next join.
bool perform_handshake(int join_socket, join_result& got, std::string& why);

// Waits until `socket` can be read or written (POLLIN, POLLOUT), at most for answer_deadline_s: for
// what am-run does at once. It may take seconds where a thousand ranks start on two CPUs, and the
// first answer to a rank of another host waits for am-run there.
bool wait_for_socket(int socket, short events);
inline constexpr int answer_deadline_s = 60;

}  // namespace am::detail::boot

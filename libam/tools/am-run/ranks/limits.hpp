// What a job needs, and what the machine allows each process and each user.
#pragma once

#include <am/types.h>

#include <sys/resource.h>

#include <cstddef>

namespace am::detail::run {

struct limit {
  const char* what;  // "descriptors"
  const char* flag;  // of ulimit: "-n"
  rlim_t needed;
  rlim_t allowed;
  [[nodiscard]] bool suffices() const noexcept { return needed <= allowed; }
};

// For am-run itself, with those that it has now, for `ranks` on this host and agents on
// `other_hosts`. `captures_output`: the output of the ranks comes to am-run.
limit descriptors_for(am_rank ranks, bool captures_output, std::size_t other_hosts = 0);

// For this user, without those that run already, whose number is not known.
limit processes_for(am_rank ranks);

}  // namespace am::detail::run

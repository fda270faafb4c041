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

// For am-run itself, with those that it has now, for `ranks` on this host and `agents` that it
// starts on others. `captures_output`: the output of the ranks comes to am-run.
limit descriptors_for(am_rank ranks, bool captures_output, std::size_t agents = 0);

// As many as are allowed, for this process; once.
void raise_descriptors();
// In a child: as many as it would have had without that.
void restore_descriptors();

// For this user, without those that run already, whose number is not known.
limit processes_for(am_rank ranks);

}  // namespace am::detail::run

// What a job takes of what the machine allows each process and each user.
#pragma once

#include <am/types.h>

#include <sys/resource.h>

namespace am::detail::run {

struct limit {
  const char* what;  // "descriptors"
  const char* flag;  // of ulimit: "-n"
  rlim_t needed;
  rlim_t allowed;
  [[nodiscard]] bool suffices() const noexcept { return needed <= allowed; }
};

// Of am-run itself, with those that it has now. `own_pipes`: what ranks write comes to am-run.
limit descriptors_for(am_rank ranks, bool own_pipes);

// Of this user, beside those that he has, whose number nobody tells.
limit processes_for(am_rank ranks);

}  // namespace am::detail::run

// Who has died and what remains to be done about it.
#pragma once

#include <am/am.h>

#include <deque>

namespace am::detail::core {

struct failure {
  std::deque<am_rank> unburied;  // heard of, in the order in which that was
  am_rank deaths = 0;            // of those that are buried
  am_peer_failure_fn* callback = nullptr;
  void* callback_arg = nullptr;
};

}  // namespace am::detail::core

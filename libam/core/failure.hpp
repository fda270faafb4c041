// Who has died or is lost, and what remains to be done about it.
#pragma once

#include <am/am.h>

#include <list>
#include <map>
#include <string>

namespace am::detail::core {

struct failure {
  std::list<am_rank> unburied;          // heard of, in the order in which that was
  am_rank deaths = 0;                   // of those that are buried
  std::map<am_rank, std::string> lost;  // of these, who may live but is out of reach; and why
  am_peer_failure_fn* callback = nullptr;
  void* callback_arg = nullptr;

  [[nodiscard]] am_status reason(am_rank rank) const {
    return lost.contains(rank) ? AM_PEER_LOST : AM_PEER_DEAD;
  }
};

}  // namespace am::detail::core

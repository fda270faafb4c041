// The children of am-run, and those of them that are ranks of this host.
#pragma once

#include <am/types.h>
#include <libam/tools/am-run/job/rank_set.hpp>

#include <sys/types.h>

#include <optional>
#include <span>
#include <vector>

namespace am::detail::run {

struct ended_child {
  pid_t pid;
  int wait_status;
};

// The children that have ended since the last call, in no order.
std::vector<ended_child> reap_children();

struct ended_rank {
  am_rank rank;
  int wait_status;
};

class processes {
 public:
  explicit processes(const rank_set& ranks) : ranks_(ranks), all_(ranks.size()) {}

  void add(am_rank rank, pid_t pid);
  // Those of `children` that were ranks; the others are orphans or of other hosts.
  [[nodiscard]] std::vector<ended_rank> take_ended(std::span<const ended_child> children);
  void kill_all(int signal, std::optional<am_rank> spare = {}) const;

  [[nodiscard]] bool any_alive() const noexcept { return alive_ > 0; }

 private:
  struct process {
    pid_t pid = -1;
    bool alive = false;
  };

  const rank_set ranks_;
  std::vector<process> all_;
  am_rank alive_ = 0;
};

}  // namespace am::detail::run

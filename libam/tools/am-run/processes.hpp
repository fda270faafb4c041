// The processes of the ranks, from their start until their ends are known.
#pragma once

#include <am/types.h>

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <vector>

namespace am::detail::run {

struct process {
  pid_t pid = -1;
  bool alive = false;
  bool death_reported = false;
  // Its connection ended without a leave; until then the end of the process may explain why.
  std::optional<std::chrono::steady_clock::time_point> explain_deadline;
};

struct ended_process {
  am_rank rank;
  int wait_status;
};

class processes {
 public:
  explicit processes(am_rank ranks) : all_(ranks) {}

  void add(am_rank rank, pid_t pid);
  // The processes that have ended since the last call, in no order.
  [[nodiscard]] std::vector<ended_process> reap();
  void kill_all(int signal, std::optional<am_rank> spare = {}) const;

  [[nodiscard]] bool any_alive() const noexcept { return alive_ > 0; }
  [[nodiscard]] am_rank ranks() const noexcept { return static_cast<am_rank>(all_.size()); }
  process& operator[](am_rank rank) { return all_[rank]; }
  const process& operator[](am_rank rank) const { return all_[rank]; }

 private:
  std::vector<process> all_;
  am_rank alive_ = 0;
};

}  // namespace am::detail::run

// The frames of an agent that are events of the job. A frame about a rank that is not of its hosts
// is invalid, and so is one that cannot follow what came before.
#pragma once

#include <libam/tools/am-run/job/host.hpp>
#include <libam/tools/am-run/job/rank_set.hpp>
#include <libam/tools/am-run/remote/host_frames.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace am::detail::run {

class agent_reports {
 public:
  agent_reports(host_events& events, const rank_set& ranks)
      : events_(events), ranks_(ranks), states_(ranks.size()) {}

  // False: the frame is invalid.
  bool read(host_frame kind, seam::bytes_view body);
  [[nodiscard]] bool any_running() const;
  // A line with the name of its host. Lines are passed on until there are too many.
  void pass_message(std::string line);

 private:
  enum class rank_state : unsigned char { not_started, running, ended };

  bool read_of_rank(host_frame kind, am_rank rank, seam::bytes_view rest);
  bool read_of_join(host_frame kind, am_rank rank, seam::bytes_view rest);
  bool read_contributions(seam::bytes_view body);
  bool lose_hosts(const rank_set& ranks, std::string how);
  [[nodiscard]] rank_state& state_of(am_rank rank) { return states_[ranks_.place_of(rank)]; }

  host_events& events_;
  const rank_set ranks_;
  std::vector<rank_state> states_;
  std::size_t messages_ = 0;
};

}  // namespace am::detail::run

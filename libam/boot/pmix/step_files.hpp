// The steps that each rank of this host has taken in the job, in all its processes, which no server
// counts: the bytes of a file for each rank, in the folder that the launcher has for the job on
// this host. A step is a join, or a fence that goes through the files. A rank that cannot make its
// file, because its container hides the folder, counts for its process alone, and the others do not
// wait for it.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace am::detail::pmix {

class step_files {
 public:
  // `folder` may be null; `ranks` are those of this host.
  step_files(const char* folder, std::string_view job, am_rank self, std::vector<am_rank> ranks);

  // This rank takes its next step.
  am_status step();
  [[nodiscard]] unsigned taken() const noexcept { return taken_; }
  // An earlier process of this rank has joined.
  [[nodiscard]] bool has_predecessor() const noexcept { return taken_ > own_steps_; }

  // A rank with a file that has taken fewer steps. Cheap while it is the same.
  [[nodiscard]] bool any_late();
  // All ranks of this host have one. In a second join all find the same, if each rank sees the
  // folder in all its programs or in none.
  [[nodiscard]] bool are_complete() const;

 private:
  [[nodiscard]] std::string path_of(am_rank rank) const;

  const std::string prefix_;  // of the paths; empty: there is no folder
  const am_rank self_;
  const std::vector<am_rank> ranks_;
  unsigned taken_ = 0;
  unsigned own_steps_ = 0;     // by this process
  std::size_t last_late_ = 0;  // of ranks_: where any_late() begins
};

// Fences of a job on one host through complete step_files.
class file_fence {
 public:
  explicit file_fence(step_files& steps) noexcept : steps_(steps) {}
  am_status open();  // before the first arrive()

  am_status arrive() { return steps_.step(); }
  // True: all ranks have arrived. Else call it again when descriptor() becomes readable.
  [[nodiscard]] bool try_complete() const;
  [[nodiscard]] int descriptor() const noexcept { return timer_.get(); }

 private:
  step_files& steps_;
  base::fd timer_;
};

}  // namespace am::detail::pmix

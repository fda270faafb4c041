// Starts the processes of the ranks.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/tools/am-run/job/rank_set.hpp>
#include <libam/tools/am-run/ranks/binding.hpp>

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

// What the ranks of a host are started from.
struct launch_plan {
  rank_set ranks;
  std::string path;  // of the program, the first word of `command`
  std::vector<std::string> command;
  binding bindings;
  bool captures_output = false;  // the output of the ranks comes to am-run
  bool own_groups = false;       // each rank is in a process group of its own
  sigset_t signal_mask{};
};

// What am-run keeps of a rank that it has started.
struct started_rank {
  pid_t pid = -1;
  base::fd output;  // the reading ends; none if the rank writes to am-run's own streams
  base::fd errors;
};

// A child that could not become PROG.
struct exec_failure {
  am_rank rank;
  int error;
};

class launcher {
 public:
  explicit launcher(launch_plan plan);

  // Nothing, and one line, if the machine does not allow another process.
  std::optional<started_rank> start(am_rank rank, base::fd join_socket, std::string& why);

  // The next child that could not become PROG; nothing: none, so far.
  std::optional<exec_failure> failure() const;

 private:
  void prepare(am_rank rank, int join_socket, int output, int errors) const;
  int exec_program();

  launch_plan plan_;
  base::fd dev_null_;  // to read, for all ranks but the first
  pid_t parent_;
  base::fd failures_to_read_;
  base::fd failures_to_write_;
};

}  // namespace am::detail::run

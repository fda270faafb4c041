// Starts the processes of the ranks.
#pragma once

#include <am/types.h>
#include <libam/base/fd.hpp>
#include <libam/tools/am-run/binding.hpp>

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace am::detail::run {

// What am-run keeps of a rank it has started.
struct started {
  pid_t pid = -1;
  base::fd output;  // the reading ends; none if the rank writes where am-run does
  base::fd errors;
};

// A child that could not become PROG.
struct exec_failure {
  am_rank rank;
  int error;
};

class launcher {
 public:
  // `path`: where command's first word was found. `own_pipes`: what the ranks write comes to
  // am-run.
  launcher(std::string path, std::vector<std::string> command, am_rank ranks, binding places,
           bool own_pipes, const sigset_t& signal_mask);

  // Nothing and the error's line if the machine does not allow another process.
  std::optional<started> start(am_rank rank, base::fd door, std::string& why);

  // Nothing (yet) if every child so far has become PROG.
  std::optional<exec_failure> failure() const;

 private:
  void prepare(am_rank rank, int door, int output, int errors) const;
  int become_program();

  const std::string path_;
  std::vector<std::string> command_;
  base::fd nothing_;  // to read, for all ranks but the first
  am_rank ranks_;
  binding places_;
  bool own_pipes_;
  sigset_t signal_mask_;
  pid_t parent_;
  rlimit files_{};  // as the ranks get it
  base::fd failures_to_read_;
  base::fd failures_to_write_;
};

}  // namespace am::detail::run

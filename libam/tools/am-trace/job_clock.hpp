// The clocks of a job: the ranks of a host have one, and the first traced ranks of hosts have
// compared theirs.
#pragma once

#include <libam/tools/am-trace/host_time.hpp>
#include <libam/tools/am-trace/trace_file.hpp>

#include <am/types.h>

#include <string>
#include <vector>

namespace am::detail::traces {

class job_clock {
 public:
  // Gives each file the time of its host. Throws std::runtime_error with one line. The files stay
  // where they are.
  void learn(std::vector<trace_file>& files, const std::string& folder);

  // How well the time of each host but the reference is known: none for one host.
  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
  // The same as a number: by how much times are wrong at most, in ns; infinite where that is not
  // known.
  [[nodiscard]] double bound() const noexcept { return bound_; }

 private:
  struct host {
    std::vector<trace_file*> files;  // by rank
    host_time time;
    std::vector<clock_ping> pings;

    [[nodiscard]] const trace::header& head() const noexcept { return files.front()->head(); }
  };

  void find_hosts(std::vector<trace_file>& files);
  static void find_rate(host& one, const std::string& folder);
  [[nodiscard]] host& host_of(am_rank rank, const std::string& folder);
  void compare(const std::string& folder);
  void describe(const host& one, am_rank reference);

  std::vector<host> hosts_;
  std::vector<std::string> lines_;
  double bound_ = 0;
};

}  // namespace am::detail::traces

// For the time in which a library of others starts in somebody's process: it gets no descriptor of
// a standard stream that is closed, and no signal for a file that is too large; when this ends,
// signals are handled as they were, and descriptors that have come up are closed in programs which
// the process executes.
#pragma once

#include <libam/base/large_files.hpp>
#include <libam/base/occupied_streams.hpp>

#include <array>
#include <csignal>
#include <vector>

namespace am::detail::base {

class house_rules {
 public:
  house_rules();
  ~house_rules();
  house_rules(const house_rules&) = delete;
  house_rules& operator=(const house_rules&) = delete;

 private:
  std::array<struct sigaction, NSIG> handled_{};  // by number
  occupied_streams streams_;
  large_files_are_errors files_;
  std::vector<int> open_;
};

}  // namespace am::detail::base

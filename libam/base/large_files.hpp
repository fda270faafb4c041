// For the time in which files are made, by libam or a library of others: one that would be larger
// than `ulimit -f` allows is an error, as every other failure, and does not end the process by
// SIGXFSZ.
#pragma once

#include <csignal>

namespace am::detail::base {

class large_files_are_errors {
 public:
  large_files_are_errors() noexcept;
  ~large_files_are_errors();
  large_files_are_errors(const large_files_are_errors&) = delete;
  large_files_are_errors& operator=(const large_files_are_errors&) = delete;

 private:
  bool is_ours_ = false;  // the program has neither blocked the signal nor has it pending
};

}  // namespace am::detail::base

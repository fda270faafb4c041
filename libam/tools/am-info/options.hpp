// The command line of am-info.
#pragma once

#include <am/types.h>

#include <sys/types.h>

#include <optional>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace am::detail::info {

struct options {
  bool settings = false;
  bool memory = false;
  bool transports = false;
  bool bootstrap = false;
  bool profile = false;
  am_rank ranks = 2;
  bool json = false;
  pid_t pid = 0;  // 0: none
};

// The one description of the command, from which --help, the manual page and the completion are
// made.
void describe(CLI::App& app, options& into);

// The exit status, if there is nothing to report: after --help, or after bad usage.
std::optional<int> read_options(int argc, char** argv, options& out);

}  // namespace am::detail::info

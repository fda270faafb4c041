// The command line of am-dial.
#pragma once

#include <libam/tools/am-dial/launcher.hpp>

#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace am::detail::dial {

struct dial_options {
  std::string dials;  // valid
  std::vector<std::string> command;
  std::string mpi;  // empty: as the launcher is
};

// The one description of the command, from which --help, the manual page and the completion are
// made.
void describe(CLI::App& app, dial_options& into);

// One line, and the exit status of bad usage.
int reject_usage(std::string_view text);

// The exit status, if there is nothing to run: after --help, or after bad usage.
std::optional<int> read_options(int argc, char** argv, dial_options& out);

}  // namespace am::detail::dial

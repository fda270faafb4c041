// The command line of am-run. What it says about the environment of the ranks (-x, --transport) is
// done in am-run's own, which they inherit.
#pragma once

#include <am/types.h>

#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace am::detail::run {

struct options {
  am_rank ranks = 0;
  std::string bind;  // core, none, or empty: core if every rank can have one
  bool label = false;
  bool check = false;
  std::vector<std::string> command;

  // Does what the ranks write come through am-run? One rank alone writes where am-run would.
  [[nodiscard]] bool own_pipes() const noexcept { return ranks > 1 || label; }
};

// What the command line may say, as it is read.
struct command_line {
  options wanted;
  std::string hosts;
  std::string host_file;
  std::string transport;
  std::vector<std::string> exports;
};

// The one description of the command: of it --help, the manual page and the completion are made.
void describe(CLI::App& app, command_line& into);

// The status to end with, if there is nothing to run: after --help, or after bad usage.
std::optional<int> read_options(int argc, char** argv, options& out);

}  // namespace am::detail::run

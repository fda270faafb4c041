// The command line of am-trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace am::detail::traces {

enum class command { merge, show, states };

struct options {
  command what = command::show;
  std::string folder;
  std::string output;
  std::size_t rows = 12;
  bool json = false;
};

// Also for the manual page.
void describe(CLI::App& app, options& into);

// Nothing: the line has been read. Otherwise the status with which the tool ends.
std::optional<int> read_options(int argc, char** argv, options& out);
int complain(std::string_view text);

}  // namespace am::detail::traces

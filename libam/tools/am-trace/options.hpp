// The command line of am-trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace am::detail::traces {

enum class command { merge, show, states, dilate };

struct options {
  command what = command::show;
  std::string folder;
  std::string output;
  std::size_t rows = 12;
  bool json = false;
  std::string within;
  std::string factor_list = "1,2,4,6,8,10,12,14,16";
  std::vector<double> factors;  // of the list
  unsigned rounds = 3;
  std::vector<std::string> program;  // and its arguments
};

// Also for the manual page.
void describe(CLI::App& app, options& into);

// Nothing: the line has been read. Otherwise the status with which the tool ends.
std::optional<int> read_options(int argc, char** argv, options& out);
int complain(std::string_view text);

}  // namespace am::detail::traces

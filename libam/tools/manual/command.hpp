// The CLI11 description of a command, taken apart for the pages.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace am::detail::manual {

struct option {
  std::vector<std::string> names;  // "-c", "--settings"; of a positional "PID"
  std::string value;               // "N"; empty: takes none
  std::string description;
  bool built;
};

// A line of the help's footer: two columns, or text alone.
struct footer_line {
  std::string left;
  std::string right;
};

struct section {
  std::string title;
  std::vector<footer_line> lines;
};

struct command {
  std::string name;
  std::string usage;  // one line
  std::string purpose;
  std::vector<option> options;
  std::vector<std::string> paragraphs;  // of the footer: those without a title
  std::vector<section> sections;        // those with a title
  std::vector<command> subcommands;
  bool starts_program;  // options end at the program
  bool built;
};

command read_command(const std::function<void(CLI::App&)>& describe);

}  // namespace am::detail::manual

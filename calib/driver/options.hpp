// The command line of am-calibrate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name is CLI11's
class App;
}

namespace calib {

struct arguments {
  bool quick = false;
  bool full = false;
  bool if_missing = false;
  unsigned rounds = 0;
  unsigned samples = 0;
  std::vector<std::string> transports;  // none: those that libam was built with
  std::vector<std::string> layers;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> depths;
  std::vector<std::string> volumes, modes, pairs;  // of commtest
  std::string json;
  std::string html;
  std::string curves;  // how they are drawn in the terminal; empty: as it fits
  std::string profile;
  std::uint64_t seed = 0;
  std::optional<std::string> profile_file;  // a kept profile, of show and export
  std::string before, after;                // two such
  std::vector<std::string> files;           // of report
  std::string format;
};

// The one description of the command line, from which --help, the manual page and the completion
// are made.
void describe(CLI::App& app, arguments& into);

}  // namespace calib

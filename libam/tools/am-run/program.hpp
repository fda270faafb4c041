// Finds PROG before anything is started, as a shell would.
#pragma once

#include <string>

namespace am::detail::run {

struct program {
  std::string path;   // where it is
  std::string fault;  // why it cannot be run: "No such file or directory"; empty if it can
  int status = 0;     // what a shell's would be then: 127 not found, 126 found but not executable
};

// In PATH, if `name` has no slash.
program find_program(const std::string& name);

// Why an exec of what had been found failed.
program could_not_run(const std::string& path, int error);

// Do the first bytes of the file look like text, which a shell can read?
bool is_text(const std::string& path);

}  // namespace am::detail::run

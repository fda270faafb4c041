// Finds PROG as a shell would, before anything is started.
#pragma once

#include <string>

namespace am::detail::run {

struct program {
  std::string path;
  std::string problem;  // why it cannot be run: "No such file or directory"; empty if it can
  int status = 0;       // a shell's status then: 127 not found, 126 found but not executable
};

// In these folders, or those of PATH, if `name` has no slash.
program find_program(const std::string& name, const char* folders = nullptr);

// Why exec of a found program has failed.
program could_not_run(const std::string& path, int error);

// Do the first bytes of the file look like text, which a shell can read?
bool is_text(const std::string& path);

}  // namespace am::detail::run

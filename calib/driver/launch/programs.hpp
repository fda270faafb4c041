// Where the programs are that am-calibrate starts.
#pragma once

#include <string>
#include <vector>

namespace calib {

// Of a layer program; "" if it was not built.
std::string path_of(const std::string& program);

// Of a program of am-suite, "" if it was not built: libam's, or in the folder of an MPI.
std::string suite_program(const std::string& folder, const std::string& program);

// Whether the module of this transport of libam is installed beside the layer programs.
bool has_module(const std::string& name);

// Completes the path of a launcher: am-run is beside this program, others are in PATH. False: it
// was not found.
bool find_launcher(std::vector<std::string>& launcher);

}  // namespace calib

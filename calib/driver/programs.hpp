// The programs that am-calibrate starts.
#pragma once

#include <string>
#include <vector>

namespace calib {

// Of a layer program; "" if it was not built.
std::string path_of(const std::string& program);

// A transport that libam loads when it is wanted, beside the programs of the layers.
bool has_module(const std::string& name);

// Completes a command's launcher: our own is the one beside this program, others are looked for in
// PATH. False: it is not there.
bool find_launcher(std::vector<std::string>& launcher);

}  // namespace calib

#include <calib/driver/launch/programs.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

// Where the layer programs lie, seen from the folder of am-calibrate (CMakeLists.txt).
#ifndef AM_BIN_TO_LAYERS
#define AM_BIN_TO_LAYERS "../lib/am/calib"
#endif

namespace calib {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

bool in_path(const std::string& program) {
  const char* path = ::secure_getenv("PATH");
  std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t from = 0; from <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', from), folders.size());
    if (::access((folders.substr(from, end - from) + '/' + program).c_str(), X_OK) == 0)
      return true;
    from = end + 1;
  }
  return false;
}

}  // namespace

// A build tree has lib/ where an install tree may have lib/x86_64-linux-gnu/.
std::string path_of(const std::string& program) {
  for (const char* folder : {AM_BIN_TO_LAYERS, "../lib/am/calib"}) {
    const fs::path candidate = (own_folder() / folder / program).lexically_normal();
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

// Installed programs lie beside the layer programs, those of libam in a build tree beside this one.
std::string suite_program(const std::string& folder, const std::string& program) {
  const fs::path layers = fs::path(path_of("am")).parent_path();
  for (const fs::path& candidate :
       {layers.parent_path() / "suite" / folder / program, own_folder() / folder / program})
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  return {};
}

bool has_module(const std::string& name) {
  const fs::path layers = fs::path(path_of("am")).parent_path();
  return ::access((layers.parent_path() / (name + ".so")).c_str(), R_OK) == 0;
}

bool find_launcher(std::vector<std::string>& launcher) {
  if (launcher.empty()) return true;
  if (launcher.front() != "am-run") return in_path(launcher.front());
  launcher.front() = own_folder() / "am-run";
  return true;
}

}  // namespace calib

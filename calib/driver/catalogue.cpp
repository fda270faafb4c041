#include <calib/driver/catalogue.hpp>

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

// A build tree has lib/ where an install tree may have lib/x86_64-linux-gnu/.
fs::path program_of(const std::string& layer) {
  for (const char* folder : {AM_BIN_TO_LAYERS, "../lib/am/calib"}) {
    const fs::path candidate = (own_folder() / folder / layer).lexically_normal();
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
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

// What a layer needs besides its own program: a launcher. Empty: nothing.
std::string launcher_of(const std::string& layer) {
  if (layer == "openmpi") return "mpirun.openmpi";
  if (layer == "mpich") return "mpirun.mpich";
  return {};
}

std::vector<std::string> join(std::vector<std::string> front, const std::string& program) {
  front.push_back(program);
  return front;
}

void add_openmpi(std::vector<way>& to, const std::string& program) {
  const std::vector<std::string> start = {
      "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2"};
  auto with = [&](std::initializer_list<const char*> settings) {
    std::vector<std::string> command = start;
    command.insert(command.end(), settings.begin(), settings.end());
    return join(command, program);
  };
  to.push_back(
      {"openmpi", "vader", with({"--mca", "pml", "ob1", "--mca", "btl", "self,vader"}), {}});
  // Open MPI takes UCX by itself only when it sees a fast network.
  to.push_back({"openmpi",
                "ucx",
                with({"--mca", "pml", "ucx", "--mca", "opal_common_ucx_tls", "any", "--mca",
                      "opal_common_ucx_devices", "any"}),
                {"UCX_TLS=posix,cma,self"}});
}

void add_ways(std::vector<way>& to, const std::string& layer, const std::string& program) {
  if (layer == "am-shm") {
    const std::string am_run = own_folder() / "am-run";
    to.push_back({layer, "", {am_run, "-n", "2", "--bind", "core", program}, {}});
    to.push_back({layer, "", {am_run, "-n", "17", "--bind", "none", program, "--idle"}, {}});
  } else if (layer == "openmpi") {
    add_openmpi(to, program);
  } else if (layer == "mpich") {
    to.push_back({layer, "", {"mpirun.mpich", "-n", "2", program}, {}});
  } else {
    to.push_back({layer, "", {program}, {}});
  }
}

}  // namespace

const std::vector<std::string>& layers_of_shm() {
  static const std::vector<std::string> layers = {"limit-line", "limit-ring", "limit-memcpy",
                                                  "limit-copy", "am-shm",     "boost-spsc",
                                                  "ucx-am",     "mpich",      "openmpi"};
  return layers;
}

catalogue find_layers(const std::vector<std::string>& layers, bool bulk) {
  catalogue found;
  for (const std::string& layer : layers_of_shm()) {
    if (!layers.empty() && std::find(layers.begin(), layers.end(), layer) == layers.end()) continue;
    if (!bulk && is_bulk_alone(layer)) continue;
    const fs::path program = program_of(layer);
    const std::string launcher = launcher_of(layer);
    if (program.empty())
      found.missing.push_back(layer + ": not built; what it needs was not there");
    else if (!launcher.empty() && !in_path(launcher))
      found.missing.push_back(layer + ": " + launcher + " is not in PATH");
    else
      add_ways(found.ways, layer, program);
  }
  return found;
}

}  // namespace calib

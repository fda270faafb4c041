#include <calib/driver/output.hpp>
#include <calib/driver/state.hpp>
#include <calib/format.hpp>

#include <am/types.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace calib {
namespace {

namespace fs = std::filesystem;

std::string of_environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

// As its library says; am-calibrate itself does not need it.
std::string ucx_version() {
  void* const library = ::dlopen("libucp.so.0", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return "none";
  const auto version =
      reinterpret_cast<const char* (*)()>(::dlsym(library, "ucp_get_version_string"));
  return version != nullptr ? version() : "unknown";
}

}  // namespace

std::string usual_profile() {
  if (::geteuid() == 0) return "/var/lib/am/profile.json";
  // An XDG folder that is not absolute is none.
  std::string folder = of_environment("XDG_STATE_HOME");
  if (!folder.starts_with('/')) folder = of_environment("HOME") + "/.local/state";
  return folder + "/am/profile.json";
}

// What is no file of its own, a device above all, is not replaced by one.
bool keep_profile(const std::string& text, const std::string& where) {
  const fs::path place(where);
  std::error_code error;
  if (place.has_parent_path()) fs::create_directories(place.parent_path(), error);
  const bool replaces = !fs::exists(place, error) ||
                        fs::symlink_status(place, error).type() == fs::file_type::regular;
  const fs::path written = replaces ? fs::path(format("{}.{}", where, ::getpid())) : place;
  std::ofstream file(written);
  file << text << std::flush;
  bool good = static_cast<bool>(file);
  file.close();
  if (good && replaces) {
    fs::rename(written, place, error);
    good = !error;
  }
  if (good) {
    say("the profile is kept in " + where);
    return true;
  }
  if (replaces) fs::remove(written, error);
  say("cannot write " + where + ": --profile FILE keeps it elsewhere, --profile none nowhere");
  return false;
}

std::string fingerprint_of(const machine& m) {
  std::string caches;
  for (const std::string& one : m.caches) caches += (caches.empty() ? "" : ", ") + one;
  const std::string kernel = m.kernel.substr(0, m.kernel.find('.'));
  return format("{}; {} cores; {}; {}; {}; libam {}; UCX {}", m.cpu, m.cores, caches,
                m.hypervisor.empty() ? "no hypervisor" : m.hypervisor, kernel, AM_VERSION_STRING,
                ucx_version());
}

}  // namespace calib

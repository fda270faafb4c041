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

// What is no file, a device above all, is written to and not replaced by one.
bool may_replace(const fs::path& place) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(place, error).type();
  return type == fs::file_type::not_found || type == fs::file_type::regular;
}

void say_where_else(const std::string& where) {
  say("cannot write " + where + ": --profile FILE keeps it elsewhere, --profile none nowhere");
}

}  // namespace

std::string usual_profile() {
  if (::geteuid() == 0) return "/var/lib/am/profile.json";
  // An XDG folder that is not absolute is none.
  std::string folder = of_environment("XDG_STATE_HOME");
  if (!folder.starts_with('/')) folder = of_environment("HOME") + "/.local/state";
  return folder + "/am/profile.json";
}

bool can_keep(const std::string& where) {
  const fs::path place(where);
  const fs::path folder = place.has_parent_path() ? place.parent_path() : ".";
  std::error_code error;
  fs::create_directories(folder, error);
  if (::access((may_replace(place) ? folder : place).c_str(), W_OK) == 0) return true;
  say_where_else(where);
  return false;
}

bool keep_profile(const std::string& text, const std::string& where) {
  const fs::path place(where);
  std::error_code error;
  if (place.has_parent_path()) fs::create_directories(place.parent_path(), error);
  const bool replaces = may_replace(place);
  const fs::path written = replaces ? fs::path(format("{}.{}", where, ::getpid())) : place;
  std::ofstream file(written);
  file << text << std::flush;
  const bool whole = static_cast<bool>(file);
  if (whole && replaces) fs::rename(written, place, error);
  if (whole && !error) {
    say("the profile is kept in " + where);
    return true;
  }
  if (replaces) fs::remove(written, error);
  say_where_else(where);
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

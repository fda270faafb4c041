#include <calib/driver/profile/profile_store.hpp>

#include <calib/driver/output/document.hpp>
#include <calib/driver/output/messages.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/format.hpp>

#include <am/types.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace calib {
namespace {

namespace fs = std::filesystem;

constexpr char machine_profile[] = "/var/lib/am/profile.json";

bool exists(const std::string& place) { return ::access(place.c_str(), F_OK) == 0; }

std::string env_value(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

// As reported by its library, which am-calibrate itself does not need.
std::string ucx_version() {
  void* const library = ::dlopen("libucp.so.0", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return "none";
  const auto version =
      reinterpret_cast<const char* (*)()>(::dlsym(library, "ucp_get_version_string"));
  return version != nullptr ? version() : "unknown";
}

// A device is written to: renaming a file onto it would replace it.
bool may_replace(const fs::path& place) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(place, error).type();
  return type == fs::file_type::not_found || type == fs::file_type::regular;
}

void report_unwritable(const std::string& where) {
  say("cannot write " + where + ": --profile FILE keeps it elsewhere, --profile none nowhere");
}

}  // namespace

std::string default_profile_path() {
  if (::geteuid() == 0) return machine_profile;
  // An XDG folder that is not absolute is none.
  std::string folder = env_value("XDG_STATE_HOME");
  if (!folder.starts_with('/')) folder = env_value("HOME") + "/.local/state";
  return folder + "/am/profile.json";
}

std::vector<std::string> profile_places() {
  const std::string own = default_profile_path();
  if (own == machine_profile) return {own};
  return {own, machine_profile};
}

bool can_keep_profile(const std::string& where) {
  const fs::path place(where);
  const fs::path folder = place.has_parent_path() ? place.parent_path() : ".";
  std::error_code error;
  fs::create_directories(folder, error);
  if (::access((may_replace(place) ? folder : place).c_str(), W_OK) == 0) return true;
  report_unwritable(where);
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
  report_unwritable(where);
  return false;
}

std::optional<kept_profile> find_profile(const std::vector<std::string>& places,
                                         const std::string& fingerprint) {
  constexpr int well = 2;
  const auto how_well_fits = [&](const profile& one) {
    if (one.fingerprint != fingerprint) return 0;
    return one.has_runtime ? well : 1;
  };
  std::optional<kept_profile> out;
  int best = 0;
  for (const std::string& place : places) {
    if (best == well) break;
    if (!exists(place)) continue;
    std::optional<profile> kept = read_document(place, parse_profile);
    if (!kept) continue;
    const int fits = how_well_fits(*kept);
    if (out && fits <= best) continue;
    best = fits;
    out = {place, std::move(*kept)};
  }
  return out;
}

std::optional<kept_profile> find_kept_profile(const std::vector<std::string>& places) {
  std::optional<kept_profile> kept = find_profile(places, fingerprint_of(this_machine()));
  if (!kept && std::ranges::none_of(places, exists))
    say(format("no profile is kept in {} yet: am-calibrate measures and keeps one",
               listed(places)));
  return kept;
}

std::optional<profile> read_profile(const std::optional<std::string>& file,
                                    const std::vector<std::string>& places) {
  if (file) return read_document(*file, parse_profile);
  std::optional<kept_profile> kept = find_kept_profile(places);
  return kept ? std::optional(std::move(kept->what)) : std::nullopt;
}

std::string listed(const std::vector<std::string>& places) {
  std::string out;
  for (const std::string& place : places) out += (out.empty() ? "" : " or ") + place;
  return out;
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

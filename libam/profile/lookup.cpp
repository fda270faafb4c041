#include <libam/profile/lookup.hpp>

#include <libam/base/error.hpp>
#include <libam/base/fd.hpp>
#include <libam/base/format.hpp>
#include <libam/base/text.hpp>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace am::detail::profile {
namespace {

constexpr char of_machine[] = "/var/lib/am/profile.json";
// A profile has every sample: 1.5 MB after --quick, 5 MB after --full.
constexpr std::size_t most_profile_bytes = 16U << 20;

std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

// Not empty: why it cannot be read. A pipe or a device would keep a rank waiting.
std::string read_file(const base::fd& file, std::string& text) {
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return base::errno_text(errno);
  if (!S_ISREG(about.st_mode)) return "this is no file";
  if (static_cast<std::size_t>(about.st_size) > most_profile_bytes)
    return base::format("it has {} bytes, more than {}", about.st_size, most_profile_bytes);
  text.resize(static_cast<std::size_t>(about.st_size));
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + at, text.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::errno_text(errno);
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  text.resize(at);
  return "";
}

base::fd open_file(const std::string& place) {
  return base::fd(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

// Of a file that could not be opened errno says why.
finding read_finding(const base::fd& file, const std::string& place, std::string_view transport) {
  std::string text;
  const std::string problem = file.valid() ? read_file(file, text) : base::errno_text(errno);
  if (!problem.empty()) return {place, {problem, {}}};
  return {place, judge(text, transport, this_machine())};
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string_view take_field(std::string_view& rest) {
  constexpr std::string_view separator = "; ";
  const std::string_view field = rest.substr(0, rest.find(separator));
  rest.remove_prefix(std::min(rest.size(), field.size() + separator.size()));
  return field;
}

// Names the first field of a fingerprint that is not of this machine; empty: none. Fields are
// processor, cores, caches, hypervisor, kernel, libam, UCX.
std::string difference(std::string_view fingerprint, const machine& here) {
  const std::string any;
  for (const std::string& ours : {here.cpu, base::format("{} cores", here.cores), any, any,
                                  here.kernel, base::format("libam {}", here.version)}) {
    std::string theirs(take_field(fingerprint));
    if (ours.empty() || theirs == ours) continue;
    base::make_one_line(theirs);
    return base::format("it is of \"{}\", and here is \"{}\"", base::abbreviate(theirs), ours);
  }
  return fingerprint.starts_with("UCX ") ? "" : "its fingerprint does not name a UCX";
}

}  // namespace

machine this_machine() {
  utsname names{};
  ::uname(&names);
  const std::string_view release = names.release;
  return {
      processor(), static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_ONLN)),
      base::format("{} {}", std::string_view(names.sysname), release.substr(0, release.find('.'))),
      AM_VERSION_STRING};
}

std::vector<std::string> places() {
  if (::geteuid() == 0) return {of_machine};
  // An XDG folder that is not absolute is none.
  std::string folder = variable("XDG_STATE_HOME");
  if (!folder.starts_with('/')) folder = variable("HOME") + "/.local/state";
  return {folder + "/am/profile.json", of_machine};
}

verdict judge(std::string_view text, std::string_view transport, const machine& here) {
  document read;
  if (const std::string problem = read_document(text, transport, read); !problem.empty())
    return {base::format("this is no profile: {}", problem), {}};
  if (const std::string why = difference(read.fingerprint, here); !why.empty()) return {why, {}};
  if (!read.complete) return {"it was not measured to the end, or on a machine that was unfit", {}};
  if (!read.costs) return {base::format("it does not know what {} costs", transport), {}};
  return {"", std::move(read.costs)};
}

finding look_up(std::string_view file, std::string_view transport,
                const std::vector<std::string>& kept) {
  const bool searches = file == automatic;
  std::optional<finding> first;
  for (const std::string& place : searches ? kept : std::vector{std::string(file)}) {
    const base::fd opened = open_file(place);
    if (!opened.valid() && searches && errno == ENOENT) continue;
    finding one = read_finding(opened, place, transport);
    if (one.found.why_not.empty()) return one;
    if (!first) first = std::move(one);
  }
  if (first) return *std::move(first);
  return {"", {base::format("none is kept in {}", base::joined(kept, " or ")), {}}};
}

}  // namespace am::detail::profile

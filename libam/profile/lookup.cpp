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
#include <utility>

namespace am::detail::profile {
namespace {

constexpr char of_machine[] = "/var/lib/am/profile.json";
// A profile has every sample: 1.5 MB after --quick, 5 MB after --full. What libam reads comes
// first.
constexpr std::size_t most_profile_bytes = 16U << 20;
constexpr std::size_t first_bytes = 16U << 10;
// Of a kept profile that has nothing for libam at its beginning. Each join would read it.
constexpr std::size_t most_kept_bytes = 64U << 10;

std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

// Not empty: why it cannot be read. A pipe or a device would keep a rank waiting.
std::string check_file(const base::fd& file, std::size_t& bytes) {
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return base::errno_text(errno);
  if (!S_ISREG(about.st_mode)) return "this is no file";
  bytes = static_cast<std::size_t>(about.st_size);
  return "";
}

// Reads on until the text has so many bytes or the file ends. Not empty: why it cannot.
std::string read_up_to(std::size_t bytes, const base::fd& file, std::string& text) {
  std::size_t at = text.size();
  text.resize(bytes);
  while (at < bytes) {
    const ssize_t got = ::read(file.get(), text.data() + at, bytes - at);
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
finding read_finding(const base::fd& file, const std::string& place, std::string_view transport,
                     std::size_t most_bytes) {
  std::size_t bytes = 0;
  std::string problem = file.valid() ? check_file(file, bytes) : base::errno_text(errno);
  std::string text;
  if (problem.empty()) problem = read_up_to(std::min(bytes, first_bytes), file, text);
  if (!problem.empty()) return {place, {problem, {}}};
  document first;
  if (read_document(text, transport, first).empty())
    return {place, judge(std::move(first), transport, this_machine())};
  if (bytes > most_profile_bytes)
    problem = base::format("it has {} bytes, more than {}", bytes, most_profile_bytes);
  else if (bytes > most_bytes)
    problem = base::format(
        "it has {} bytes, of which the first {} say nothing for libam: measure again, by "
        "am-calibrate",
        bytes, first_bytes);
  if (problem.empty()) problem = read_up_to(bytes, file, text);
  if (!problem.empty()) return {place, {problem, {}}};
  return {place, judge(text, transport, this_machine())};
}

// The kernel makes as much of this text as is read, so no more is read than holds the name of the
// first processor.
std::string processor() {
  constexpr std::size_t enough = 512;
  constexpr std::string_view name = "\nmodel name\t: ";
  std::string text;
  const base::fd file = open_file("/proc/cpuinfo");
  if (!file.valid() || !read_up_to(enough, file, text).empty()) return "unknown";
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return "unknown";
  text.erase(0, at + name.size());
  return text.substr(0, text.find('\n'));
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
  return judge(std::move(read), transport, here);
}

verdict judge(document read, std::string_view transport, const machine& here) {
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
    finding one =
        read_finding(opened, place, transport, searches ? most_kept_bytes : most_profile_bytes);
    if (one.found.why_not.empty()) return one;
    if (!first) first = std::move(one);
  }
  if (first) return *std::move(first);
  return {"", {base::format("none is kept in {}", base::joined(kept, " or ")), {}}};
}

}  // namespace am::detail::profile

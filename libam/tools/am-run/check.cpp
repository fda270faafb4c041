// Tries what a start needs: the program, memory that can be shared, room for processes and
// descriptors. The result is am-run's own, so it goes to standard error.
#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/shared_memory.hpp>
#include <libam/tools/am-run/check.hpp>
#include <libam/tools/am-run/launch.hpp>
#include <libam/tools/am-run/verdict.hpp>
#include <libam/tools/words.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace am::detail::run {
namespace {

void tell(std::string_view stage, std::string_view result) {
  tools::say("am-run", base::format("check: {}: {}", stage, result));
}

// 0, or the errno that execvp would come to.
int try_program(const std::string& path) {
  struct stat what {};
  if (::stat(path.c_str(), &what) != 0) return errno;
  if (!S_ISREG(what.st_mode)) return EACCES;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

int find_program(const std::string& name, std::string& found) {
  found = name;
  if (name.find('/') != std::string::npos) return try_program(name);
  const char* folders = std::getenv("PATH");
  std::istringstream list(folders != nullptr ? folders : "/bin:/usr/bin");
  int worst = ENOENT;
  for (std::string folder; std::getline(list, folder, ':');) {
    found = (folder.empty() ? "." : folder) + "/" + name;
    const int error = try_program(found);
    if (error == 0) return 0;
    if (error == EACCES) worst = EACCES;
  }
  return worst;
}

bool check_program(const options& wanted, int& status) {
  std::string found;
  const int error = find_program(wanted.command.front(), found);
  if (error != 0) {
    tell("program", base::format("{}: {}", wanted.command.front(), std::strerror(error)));
    status = exec_status(error);
    return false;
  }
  tell("program", found);
  return true;
}

bool check_memory(const std::string& folder) {
  constexpr std::size_t try_bytes = 1U << 20;
  base::fd memory;
  base::shared_memory mapped;
  if (base::shared_memory::create(memory, folder) != AM_OK ||
      mapped.map(std::move(memory), try_bytes) != AM_OK || mapped.reserve(0, try_bytes) != AM_OK) {
    tell("shared memory", base::error_text());
    return false;
  }
  tell("shared memory", "works");
  return true;
}

bool check_limit(const char* what, const char* flag, __rlimit_resource_t which, rlim_t needed) {
  rlimit limit{};
  if (::getrlimit(which, &limit) == 0 && limit.rlim_max < needed) {
    tell(what, base::format("{} are needed and {} allowed: raise `ulimit {}`", needed,
                            limit.rlim_max, flag));
    return false;
  }
  tell(what, base::format("{} are needed and allowed", needed));
  return true;
}

}  // namespace

int check(const options& wanted, const binding& places, const base::settings& settings) {
  constexpr rlim_t descriptors_per_rank = 5;
  constexpr rlim_t descriptors_of_own = 32;
  int status = 0;
  if (!check_program(wanted, status)) return status;
  if (!check_memory(settings.shm_dir)) return launch_failed;
  if (!check_limit("descriptors", "-n", RLIMIT_NOFILE,
                   wanted.ranks * descriptors_per_rank + descriptors_of_own))
    return launch_failed;
  if (!check_limit("processes", "-u", RLIMIT_NPROC, wanted.ranks)) return launch_failed;
  tell("binding", places.bound_to.empty()
                      ? "none"
                      : base::format("cpus {}", base::joined(places.bound_to, ", ")));
  tell("start", base::format("{} ranks on this host", wanted.ranks));
  return 0;
}

}  // namespace am::detail::run

#include <libam/base/fd.hpp>
#include <libam/base/process_state.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace am::detail::base {

namespace {

// Fields 3, 9, 20 and 52 of /proc/PID/stat. Letter 0: there is no such process, or no seeing it.
struct process_stat {
  char letter = 0;
  unsigned flags = 0;      // of the first thread
  long threads = 0;        // that have not ended
  unsigned exit_code = 0;  // of the first thread, as waitpid tells it; 0 also where it is hidden
};

// Field 2 is the program's name in brackets, which may hold brackets.
process_stat stat_of(pid_t pid) noexcept {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const fd file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t read = file.valid() ? ::read(file.get(), text, sizeof text - 1) : -1;
  if (read <= 0) return {};
  text[read] = 0;
  const std::string_view line(text, static_cast<std::size_t>(read));
  const std::size_t bracket = line.rfind(')');
  process_stat seen{'?'};
  if (bracket != std::string_view::npos)
    (void)std::sscanf(text + bracket + 1,
                      " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld",
                      &seen.letter, &seen.flags, &seen.threads);
  (void)std::sscanf(text + line.rfind(' ') + 1, "%u", &seen.exit_code);
  return seen;
}

}  // namespace

std::string_view process_state(pid_t pid) {
  switch (stat_of(pid).letter) {
    case 0: return "is gone";
    case 'R': return "runs";
    case 'S': return "sleeps";
    case 'D': return "waits for the disk";
    case 'T': return "is stopped";
    case 't': return "is stopped by a debugger";
    case 'Z':
    case 'X': return "is dead";
    default: return "is in a state unknown here";
  }
}

bool is_gone(pid_t pid) noexcept {
  const process_stat seen = stat_of(pid);
  // /proc may show less than all.
  if (seen.letter == 0) return ::kill(pid, 0) != 0 && errno == ESRCH;
  constexpr unsigned is_exiting = 4;  // PF_EXITING: its memory may have gone already
  const bool first_thread_ends =
      seen.letter == 'Z' || seen.letter == 'X' || (seen.flags & is_exiting) != 0;
  // The other threads may be the program. A signal ends all of them, in whatever order.
  constexpr unsigned signal = 0x7f;
  return first_thread_ends && (seen.threads <= 1 || (seen.exit_code & signal) != 0);
}

std::uint64_t pid_namespace() {
  struct stat own {};
  return ::stat("/proc/self/ns/pid", &own) == 0 ? own.st_ino : 0;
}

}  // namespace am::detail::base

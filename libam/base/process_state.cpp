#include <libam/base/fd.hpp>
#include <libam/base/format.hpp>
#include <libam/base/process_state.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace am::detail::base {

namespace {

// Field 3 of /proc/PID/stat; 0: there is no such process. Field 2 is the program's name in
// brackets, which may hold brackets.
char state_letter(pid_t pid) {
  const fd file(::open(format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
  char text[512];
  const ssize_t read = file.valid() ? ::read(file.get(), text, sizeof text) : -1;
  if (read <= 0) return 0;
  const std::string_view line(text, static_cast<std::size_t>(read));
  const std::size_t bracket = line.rfind(')');
  return bracket == std::string_view::npos || bracket + 2 >= line.size() ? '?' : line[bracket + 2];
}

}  // namespace

std::string_view process_state(pid_t pid) {
  switch (state_letter(pid)) {
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

bool is_gone(pid_t pid) {
  const char letter = state_letter(pid);
  if (letter == 0) return ::kill(pid, 0) != 0 && errno == ESRCH;  // /proc may show less than all
  return letter == 'Z' || letter == 'X';
}

std::uint64_t pid_namespace() {
  struct stat own {};
  return ::stat("/proc/self/ns/pid", &own) == 0 ? own.st_ino : 0;
}

}  // namespace am::detail::base

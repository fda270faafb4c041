#include <libam/base/process_state.hpp>

#include <libam/base/fd.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>

namespace am::detail::base {

namespace {

// Fields 3, 9, 20 and 52 of /proc/PID/stat. Letter 0: there is no such process, or it is hidden.
struct process_stat {
  char letter = 0;
  unsigned flags = 0;      // of the first thread
  long threads = 0;        // those that have not ended
  unsigned exit_code = 0;  // of the first thread, as from waitpid; 0 also where it is hidden
};

// A field of such a line, counted from 1, from the third on; empty: there is none. The second is
// the program's name in brackets, which may contain blanks and brackets.
std::string_view field(std::string_view line, unsigned number) noexcept {
  const std::size_t name_ends = line.rfind(')');
  std::size_t at = name_ends == std::string_view::npos ? line.size() : name_ends + 1;
  for (unsigned passed = 3; at < line.size(); ++passed) {
    const std::string_view one = line.substr(at + 1, line.find_first_of(" \n", at + 1) - at - 1);
    if (passed == number) return one;
    at += 1 + one.size();
  }
  return {};
}

template <class Number>
void read_number(std::string_view text, Number& into) noexcept {
  (void)std::from_chars(text.data(), text.data() + text.size(), into);
}

process_stat stat_of(pid_t pid) noexcept {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  const fd file(::open(path, O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t read = file.valid() ? ::read(file.get(), text, sizeof text) : -1;
  if (read <= 0) return {};
  const std::string_view line(text, static_cast<std::size_t>(read));
  process_stat seen{'?'};
  if (const std::string_view letter = field(line, 3); !letter.empty()) seen.letter = letter.front();
  read_number(field(line, 9), seen.flags);
  read_number(field(line, 20), seen.threads);
  read_number(field(line, 52), seen.exit_code);
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
  // /proc may hide processes.
  if (seen.letter == 0) return ::kill(pid, 0) != 0 && errno == ESRCH;
  constexpr unsigned is_exiting = 4;  // PF_EXITING: its memory may have gone already
  const bool first_thread_ends =
      seen.letter == 'Z' || seen.letter == 'X' || (seen.flags & is_exiting) != 0;
  // The other threads may be the program. A signal ends all of them, in any order.
  constexpr unsigned signal = 0x7f;
  return first_thread_ends && (seen.threads <= 1 || (seen.exit_code & signal) != 0);
}

std::uint64_t pid_namespace() {
  struct stat own {};
  return ::stat("/proc/self/ns/pid", &own) == 0 ? own.st_ino : 0;
}

}  // namespace am::detail::base

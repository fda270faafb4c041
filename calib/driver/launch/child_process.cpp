#include <calib/driver/launch/child_process.hpp>

#include <calib/format.hpp>
#include <calib/program/line_meter.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

extern char** environ;

namespace calib {
namespace {

using std::chrono::steady_clock;

volatile sig_atomic_t stop = 0;
sigset_t stop_signals;    // blocked except in ppoll
sigset_t inherited_mask;  // of the children

// A pipe that is closed at the end.
class pipe_ends {
 public:
  pipe_ends() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~pipe_ends() {
    close_end(0);
    close_end(1);
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  [[nodiscard]] int out() const { return ends_[0]; }
  [[nodiscard]] int in() const { return ends_[1]; }
  void close_in() { close_end(1); }
  void close_out() { close_end(0); }

 private:
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) ::close(ends_[i]);
    ends_[i] = -1;
  }
  std::array<int, 2> ends_{};
};

// The memory of a cache line that the two processes of a pair send there and back
// (program/line_meter.hpp). They open it by its path while this object lives.
class line_memory {
 public:
  explicit line_memory(bool needed) {
    if (!needed) return;
    file_ = ::memfd_create("line", MFD_CLOEXEC);
    if (file_ >= 0 && ::ftruncate(file_, sizeof(line_page)) == 0) return;
    why_not_ = format("{}: {}", file_ < 0 ? "memfd_create" : "ftruncate", std::strerror(errno));
    close();
  }
  ~line_memory() { close(); }
  line_memory(const line_memory&) = delete;
  line_memory& operator=(const line_memory&) = delete;
  // Adds to a launch that was to know the time of the line, and does not, the note that says why.
  void explain(launch& to) const {
    if (to.fault.empty() && !to.measured.empty() && !to.has_lines())
      to.notes.try_emplace(no_line, why_not_);
  }
  // For their environment.
  void add_to(std::vector<std::string>& variables) const {
    if (file_ >= 0) variables.push_back(format("CALIB_LINE=/proc/{}/fd/{}", ::getpid(), file_));
  }

 private:
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  int file_ = -1;
  std::string why_not_ = "the other process did not come";
};

// Our variables that `spec` sets are left out: of a name that occurs twice the first would count.
// What is measured does not depend on a profile that is kept.
std::vector<std::string> variables_of(const launch_spec& spec) {
  const std::vector<std::string>& added = spec.variables;
  std::vector<std::string> out = added;
  if (!spec.in_own_job) out.emplace_back("AM_PROFILE=off");
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string one = *e;
    const std::string name = one.substr(0, one.find('=') + 1);
    const bool replaced =
        name == "CALIB_LINE=" ||
        std::ranges::any_of(added, [&](const std::string& ours) { return ours.starts_with(name); });
    if (!replaced && (spec.in_own_job || !one.starts_with("AM_"))) out.push_back(one);
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

void confine_to(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  for (const int cpu : cpus) CPU_SET(cpu, &mask);
  (void)::sched_setaffinity(0, sizeof mask, &mask);  // if it fails, pinning shows it
}

// In a process group of its own.
pid_t start(const launch_spec& spec, std::vector<std::string> command,
            const line_memory& shared_line, int out, int err) {
  std::vector<std::string> variables = variables_of(spec);
  shared_line.add_to(variables);
  const auto argv = pointers(command);
  const auto envp = pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  ::sigprocmask(SIG_SETMASK, &inherited_mask, nullptr);
  confine_to(spec.cpus);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::execvpe(argv[0], argv.data(), envp.data());
  const std::string line = "cannot start " + command[0] + ": " + std::strerror(errno) + '\n';
  (void)!::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(127);
}

// Ends all processes that are left of the group, and orphans that have become our children.
void kill_remaining(pid_t pid) {
  ::kill(-pid, SIGKILL);
  for (;;) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended > 0) continue;
    if (ended < 0) return;  // no children
    std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    for (pid_t left = 0; list >> left;) ::kill(left, SIGKILL);
    (void)::waitpid(-1, nullptr, 0);
  }
}

// SIGTERM, on which a launcher ends its ranks; returns when the child has ended, or after 2 s.
void request_end(pid_t pid) {
  ::kill(-pid, SIGTERM);
  for (int i = 0; i < 100; ++i) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == pid)
      return;
    ::usleep(20'000);
  }
}

// The output of a program, line by line.
class line_reader {
 public:
  // False: the other end is closed.
  template <class Take>
  bool read(int from, Take&& take) {
    char some[4096];
    const ssize_t got = ::read(from, some, sizeof some);
    if (got <= 0) return got < 0 && errno == EINTR;
    text_.append(some, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = text_.find('\n')) != std::string::npos;) {
      take(legible(text_.substr(0, end)));
      text_.erase(0, end + 1);
    }
    return true;
  }

 private:
  std::string text_;
};

std::string describe_end(int status) {
  if (WIFSIGNALED(status)) return std::string("killed by ") + ::strsignal(WTERMSIG(status));
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void prepare_for_children() {
  static bool is_prepared = false;
  if (std::exchange(is_prepared, true)) return;  // the inherited mask would be lost
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::sigemptyset(&stop_signals);
  ::sigaddset(&stop_signals, SIGINT);
  ::sigaddset(&stop_signals, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &stop_signals, &inherited_mask);
  struct sigaction action {};
  action.sa_handler = [](int) { stop = 1; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() noexcept {
  sigset_t waiting;
  ::sigpending(&waiting);
  return stop != 0 || ::sigismember(&waiting, SIGINT) == 1 || ::sigismember(&waiting, SIGTERM) == 1;
}

launch run_program(const launch_spec& spec, const std::vector<std::string>& arguments,
                   std::chrono::seconds deadline, const on_begin& on_probe) {
  launch result;
  result.layer = spec.layer;
  result.method = spec.name;
  result.confined = !spec.cpus.empty();
  result.placed = spec.in_own_job;
  pipe_ends out;
  pipe_ends err;
  std::vector<std::string> command = spec.command;
  command.insert(command.end(), arguments.begin(), arguments.end());
  const line_memory shared_line(spec.line);
  const pid_t pid = start(spec, command, shared_line, out.in(), err.in());
  if (pid < 0) {
    result.fault = "cannot fork";
    return result;
  }
  out.close_in();
  err.close_in();

  bool complete = false;
  std::string message;  // the first line on its standard error
  line_reader report;
  line_reader lines;
  const auto end = steady_clock::now() + deadline;
  while (out.out() >= 0 || err.out() >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - steady_clock::now());
    if (left.count() <= 0)
      result.fault = "took longer than " + std::to_string(deadline.count()) + " s";
    if (stop_requested()) result.fault = "stopped";
    if (!result.fault.empty()) break;
    pollfd both[2] = {{out.out(), POLLIN, 0}, {err.out(), POLLIN, 0}};
    const timespec wait{left.count() + 1, 0};
    if (::ppoll(both, 2, &wait, &inherited_mask) <= 0) continue;
    if (both[0].revents != 0 && !report.read(out.out(), [&](const std::string& line) {
          std::istringstream read(line);
          std::string verb, probe, variant;
          if (read >> verb >> probe >> variant && verb == "begin") on_probe(probe, variant);
          if (parse_line(result, spec.name, line)) complete = true;
        }))
      out.close_out();
    if (both[1].revents != 0 && !lines.read(err.out(), [&](const std::string& line) {
          if (message.empty() && line.find_first_not_of(" -\t") != std::string::npos)
            message = line;
        }))
      err.close_out();
  }

  if (!result.fault.empty()) request_end(pid);
  int status = 0;
  if (result.fault.empty()) {
    if (::waitpid(pid, &status, 0) == pid && (status != 0 || !complete))
      result.fault = describe_end(status) + (message.empty() ? "" : ": " + message);
  }
  kill_remaining(pid);
  if (spec.line) shared_line.explain(result);
  return result;
}

}  // namespace calib

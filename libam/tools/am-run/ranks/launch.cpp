// fork, prepare the child for a rank, exec. The children of am-run die with it.
#include <libam/tools/am-run/ranks/launch.hpp>

#include <libam/base/format.hpp>
#include <libam/boot/run/protocol.hpp>
#include <libam/tools/am-run/ranks/limits.hpp>
#include <libam/tools/am-run/ranks/program.hpp>
#include <libam/tools/am-run/streams/pipes.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace am::detail::run {
namespace {

void set_number(const char* variable, unsigned long value) {
  ::setenv(variable, std::to_string(value).c_str(), 1);
}

std::string processes_allowed() {
  rlimit found{};
  if (::getrlimit(RLIMIT_NPROC, &found) != 0 || found.rlim_cur == RLIM_INFINITY) return "unlimited";
  return std::to_string(found.rlim_cur);
}

void bind_to(unsigned cpu) {
  std::vector<cpu_set_t> mask(cpu / CPU_SETSIZE + 1);
  const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
  CPU_SET_S(cpu, bytes, mask.data());
  // A rank that cannot be bound still runs.
  (void)::sched_setaffinity(0, bytes, mask.data());
}

}  // namespace

launcher::launcher(launch_plan plan)
    : plan_(std::move(plan)),
      dev_null_(base::fd(::open("/dev/null", O_RDONLY | O_CLOEXEC))),
      parent_(::getpid()) {
  if (!dev_null_.valid()) throw std::system_error(errno, std::generic_category(), "/dev/null");
  if (!make_pipe(failures_to_read_, failures_to_write_, O_NONBLOCK))
    throw std::system_error(errno, std::generic_category(), "pipe");
}

std::optional<started_rank> launcher::start(am_rank rank, base::fd join_socket, std::string& why) {
  started_rank made;
  base::fd output;
  base::fd errors;
  if (plan_.captures_output &&
      !(make_pipe(made.output, output) && make_pipe(made.errors, errors))) {
    why = base::format("cannot start rank {} of {}: pipe: {}", rank, plan_.ranks.job_size(),
                       std::strerror(errno));
    return std::nullopt;
  }
  made.pid = ::fork();
  if (made.pid < 0) {
    why = base::format(
        "cannot start rank {} of {}: fork: {}: raise `ulimit -u`, which is {}, or the "
        "container's limit on processes",
        rank, plan_.ranks.job_size(), std::strerror(errno), processes_allowed());
    return std::nullopt;
  }
  if (made.pid == 0) {
    prepare(rank, join_socket.get(), output.get(), errors.get());
    const exec_failure failed{rank, exec_program()};
    [[maybe_unused]] const auto written = ::write(failures_to_write_.get(), &failed, sizeof failed);
    ::_exit(1);
  }
  return made;
}

// In the child.
void launcher::prepare(am_rank rank, int join_socket, int output, int errors) const {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent_) ::_exit(1);  // am-run was gone before it took effect
  restore_descriptors();
  ::fcntl(join_socket, F_SETFD, 0);
  set_number(boot::join_socket_variable, static_cast<unsigned long>(join_socket));
  set_number("AM_JOB_RANK", rank);
  set_number("AM_JOB_RANKS", plan_.ranks.job_size());
  if (plan_.own_groups) ::setpgid(0, 0);
  const std::size_t place = plan_.ranks.place_of(rank);
  if (place < plan_.bindings.bound_to.size()) bind_to(plan_.bindings.bound_to[place]);
  if (rank != 0) ::dup2(dev_null_.get(), STDIN_FILENO);
  if (plan_.captures_output) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
  }
  ::sigprocmask(SIG_SETMASK, &plan_.signal_mask, nullptr);
}

// In the child. Returns errno if exec fails. A text without #! is a script of the shell.
int launcher::exec_program() {
  std::vector<char*> words;
  for (std::string& word : plan_.command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execv(plan_.path.c_str(), words.data());
  if (const int error = errno; error != ENOEXEC || !is_text(plan_.path)) return error;
  std::string shell = "/bin/sh";
  std::string script = plan_.path;
  words.front() = script.data();
  words.insert(words.begin(), shell.data());
  ::execv(shell.c_str(), words.data());
  return errno;
}

std::optional<exec_failure> launcher::failure() const {
  exec_failure failed{};
  if (::read(failures_to_read_.get(), &failed, sizeof failed) != sizeof failed) return std::nullopt;
  return failed;
}

}  // namespace am::detail::run

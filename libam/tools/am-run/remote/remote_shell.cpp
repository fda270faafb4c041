#include <libam/tools/am-run/remote/remote_shell.hpp>

#include <libam/base/format.hpp>
#include <libam/base/text.hpp>
#include <libam/tools/am-run/job/verdict.hpp>
#include <libam/tools/am-run/ranks/limits.hpp>
#include <libam/tools/am-run/streams/pipes.hpp>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace am::detail::run {
namespace {

constexpr int not_found = 127;
constexpr std::size_t most_shell_line = 1000;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In the child.
[[noreturn]] void become(std::vector<std::string>& command, std::vector<std::string>& environment,
                         pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // am-run was gone before it took effect
  ::setsid();
  restore_descriptors();
  std::vector<char*> variables = pointers_to(environment);
  environ = variables.data();  // in whose PATH execvp looks
  ::execvp(command.front().c_str(), pointers_to(command).data());
  const std::string line =
      base::format("cannot run {}: {}\n", command.front(), std::strerror(errno));
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(1);
}

}  // namespace

std::vector<std::string> remote_shell::own_environment() {
  std::vector<std::string> variables;
  for (char** each = environ; *each != nullptr; ++each) variables.emplace_back(*each);
  return variables;
}

bool remote_shell::start(std::vector<std::string> command, std::vector<std::string> environment,
                         const sigset_t& signal_mask) {
  base::fd input;
  base::fd output;
  base::fd errors;
  if (!make_pipe(input, input_) || !make_pipe(output_, output) || !make_pipe(errors_, errors))
    return false;
  const auto slash = command.front().rfind('/');
  name_ = slash == std::string::npos ? command.front() : command.front().substr(slash + 1);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) return false;
  if (pid_ == 0) {
    ::dup2(input.get(), STDIN_FILENO);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(errors.get(), STDERR_FILENO);
    ::sigprocmask(SIG_SETMASK, &signal_mask, nullptr);
    become(command, environment, parent);
  }
  ::fcntl(errors_.get(), F_SETFL, O_NONBLOCK);
  loop_.watch(errors_.get(), EPOLLIN, [this] { read_errors(); });
  return true;
}

remote_shell::~remote_shell() {
  if (errors_.valid()) loop_.unwatch(errors_.get());
  kill();
}

// It leads its session's first process group, unless it has not come so far yet.
void remote_shell::signal(int number) const {
  if (pid_ <= 0 || has_ended()) return;
  ::kill(pid_, number);
  ::kill(-pid_, number);
}

void remote_shell::note_end(int wait_status) {
  wait_status_ = wait_status;
  while (errors_.valid()) {  // to its end, or as far as it has come
    const std::size_t before = buffered_.size();
    read_errors();
    if (errors_.valid() && buffered_.size() == before) break;
  }
  pass_lines(true);
}

void remote_shell::read_errors() {
  std::array<char, 4096> room;
  const ssize_t count = ::read(errors_.get(), room.data(), room.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) buffered_.append(room.data(), static_cast<std::size_t>(count));
  pass_lines(count <= 0);
  if (count > 0) return;
  loop_.unwatch(errors_.get());
  errors_ = base::fd();
}

void remote_shell::pass_lines(bool all) {
  std::string::size_type end = 0;
  while ((end = buffered_.find('\n')) != std::string::npos || buffered_.size() > most_shell_line ||
         (all && !buffered_.empty())) {
    std::string line = buffered_.substr(0, std::min(end, most_shell_line));
    buffered_.erase(0, end == line.size() ? end + 1 : line.size());
    while (!line.empty() && line.back() == '\r') line.pop_back();
    base::make_one_line(line);
    if (!line.empty()) on_line_(std::move(line));
  }
}

std::string remote_shell::describe_end() const {
  if (!has_ended()) return base::format("{} has closed its output", name_);
  return base::format("{} ended with {}", name_, run::describe_end(*wait_status_));
}

bool remote_shell::found_nothing() const noexcept {
  return has_ended() && WIFEXITED(*wait_status_) && WEXITSTATUS(*wait_status_) == not_found;
}

std::string quote_for_shell(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) c == '\'' ? quoted.append("'\\''") : quoted.append(1, c);
  return quoted + "'";
}

}  // namespace am::detail::run

#include <libam/tools/am-trace/dilated_runs.hpp>

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/tools/am-trace/job_trace.hpp>
#include <libam/tools/messages.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

extern char** environ;

namespace am::detail::traces {
namespace {

volatile std::sig_atomic_t stopped_by = 0;  // a signal
volatile std::sig_atomic_t job = 0;         // the process group of the command that runs

void stop(int signal) {
  stopped_by = signal;
  if (job != 0) ::kill(static_cast<pid_t>(-job), signal);
}

// The command is a process group of its own, and gets these signals from here: once, and it is
// waited for.
class signal_guard {
 public:
  signal_guard() {
    struct sigaction noted {};
    noted.sa_handler = &stop;
    for (std::size_t i = 0; i < std::size(signals); ++i)
      ::sigaction(signals[i], &noted, &before_[i]);
  }
  signal_guard(const signal_guard&) = delete;
  signal_guard& operator=(const signal_guard&) = delete;
  ~signal_guard() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      ::sigaction(signals[i], &before_[i], nullptr);
  }

 private:
  static constexpr int signals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(signals)]{};
};

class temporary_folder {
 public:
  temporary_folder() {
    const char* const chosen = std::getenv("TMPDIR");
    path_ =
        base::format("{}/am-dilate-XXXXXX", chosen == nullptr || *chosen == '\0' ? "/tmp" : chosen);
    if (::mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error(base::format("{}: {}", path_, base::errno_text(errno)));
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { remove(path_); }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  static void remove(const std::string& path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

 private:
  std::string path_;
};

// Its results go nowhere; what it says on standard error is seen.
class spawner {
 public:
  spawner() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
  }
  spawner(const spawner&) = delete;
  spawner& operator=(const spawner&) = delete;
  ~spawner() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  pid_t start(std::vector<std::string> command) const {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        ::posix_spawnp(&child, words[0], &actions_, &attributes_, words.data(), environ);
    if (failed != 0)
      throw std::runtime_error(base::format("{}: {}", command[0], base::errno_text(failed)));
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string text_of_end(int status) {
  return WIFSIGNALED(status) ? base::format("was ended by signal {}", WTERMSIG(status))
                             : base::format("ended with status {}", WEXITSTATUS(status));
}

void run(const std::vector<std::string>& command, double factor, const std::string& folder) {
  ::setenv("AM_DILATE", base::format("{}", factor).c_str(), 1);
  ::setenv("AM_TRACE", folder.c_str(), 1);
  const pid_t child = spawner().start(command);
  job = child;
  if (stopped_by != 0) stop(stopped_by);  // it came before that
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  job = 0;
  if (status != 0 && stopped_by == 0)
    throw std::runtime_error(
        base::format("AM_DILATE={}: {} {}", factor, command[0], text_of_end(status)));
}

// The program may have changed its environment.
void check_factor(const job_trace& all, const std::string& command, double factor) {
  for (const trace_file& one : all.files())
    if (one.head().dilation != factor)
      throw std::runtime_error(base::format("{} has run rank {} with AM_DILATE={}, not {}", command,
                                            one.head().rank, one.head().dilation, factor));
}

dilated_run measure(const dilated_runs_of& what, double factor, const std::string& folder) {
  run(what.command, factor, folder);
  if (stopped_by != 0) return {};
  if (!std::filesystem::exists(folder))
    throw std::runtime_error(base::format(
        "{} has written no trace: it has to run a program with libam", what.command[0]));
  job_trace all(folder);
  for (const std::string& line : all.remarks()) tools::print_message("am-trace", line);
  check_factor(all, what.command[0], factor);
  const std::vector<rank_states> states = states_of(all, what.within);
  for (const std::string& line : all.remarks_behind()) tools::print_message("am-trace", line);
  return {factor, ranks_with_time(states), mean_of(states)};
}

class progress {
 public:
  explicit progress(std::size_t runs) : runs_(runs), shown_(::isatty(STDERR_FILENO) != 0) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { show(""); }

  void note_end() {
    ++done_;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    const double left =
        spent.count() / static_cast<double>(done_) * static_cast<double>(runs_ - done_);
    show(base::format("{} of {} runs, {:.0f} s left", done_, runs_, left));
  }

 private:
  void show(const std::string& line) const {
    if (!shown_) return;
    const std::string whole = "\r\033[K" + line;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, whole.data(), whole.size());
  }

  const std::size_t runs_;
  const bool shown_;
  std::size_t done_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<dilated_run> run_dilated(const dilated_runs_of& what, unsigned& rounds, int& stopped) {
  const signal_guard guard;
  const temporary_folder here;
  progress shown(what.factors.size() * what.rounds);
  std::vector<std::vector<dilated_run>> runs(what.factors.size());  // by factor
  for (rounds = 0; rounds < what.rounds; ++rounds) {
    std::vector<dilated_run> round;
    for (const double factor : what.factors) {
      const std::string folder = here.path() + "/trace";
      round.push_back(measure(what, factor, folder));
      temporary_folder::remove(folder);
      if (stopped_by != 0) break;
      shown.note_end();
    }
    if (stopped_by != 0) break;
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].push_back(round[i]);
  }
  stopped = stopped_by;
  if (rounds == 0) throw std::runtime_error("stopped before the first round had ended");
  std::vector<dilated_run> out;
  for (std::vector<dilated_run>& of_factor : runs) {
    const auto middle = of_factor.begin() + static_cast<std::ptrdiff_t>(of_factor.size() / 2);
    std::ranges::nth_element(of_factor, middle, {},
                             [](const dilated_run& one) { return one.mean.elapsed; });
    out.push_back(*middle);
  }
  return out;
}

}  // namespace am::detail::traces

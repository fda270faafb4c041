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

volatile std::sig_atomic_t interrupted = 0;

// The command gets the signal, too: it is waited for.
class interrupt_guard {
 public:
  interrupt_guard() {
    struct sigaction noted {};
    noted.sa_handler = [](int) { interrupted = 1; };
    ::sigaction(SIGINT, &noted, &before_);
  }
  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;
  ~interrupt_guard() { ::sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
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

class spawn_actions {
 public:
  spawn_actions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  spawn_actions(const spawn_actions&) = delete;
  spawn_actions& operator=(const spawn_actions&) = delete;
  ~spawn_actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::string text_of_end(int status) {
  return WIFSIGNALED(status) ? base::format("was ended by signal {}", WTERMSIG(status))
                             : base::format("ended with status {}", WEXITSTATUS(status));
}

// Its results go nowhere; what it says on standard error is seen.
void run(std::vector<std::string> command, double factor, const std::string& folder) {
  ::setenv("AM_DILATE", base::format("{}", factor).c_str(), 1);
  ::setenv("AM_TRACE", folder.c_str(), 1);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const spawn_actions actions;
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, words[0], actions.get(), nullptr, words.data(), environ);
  if (failed != 0)
    throw std::runtime_error(base::format("{}: {}", command[0], base::errno_text(failed)));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 && interrupted == 0)
    throw std::runtime_error(
        base::format("AM_DILATE={}: {} {}", factor, command[0], text_of_end(status)));
}

dilated_run measure(const dilated_runs_of& what, double factor, const std::string& folder) {
  run(what.command, factor, folder);
  if (interrupted != 0) return {};
  job_trace all(folder);
  for (const std::string& line : all.remarks()) tools::print_message("am-trace", line);
  const std::vector<rank_states> states = states_of(all, what.within);
  return {factor, states.size(), mean_of(states)};
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

std::vector<dilated_run> run_dilated(const dilated_runs_of& what, unsigned& rounds) {
  const interrupt_guard guard;
  const temporary_folder here;
  progress shown(what.factors.size() * what.rounds);
  std::vector<std::vector<dilated_run>> runs(what.factors.size());  // by factor
  for (rounds = 0; rounds < what.rounds; ++rounds) {
    std::vector<dilated_run> round;
    for (const double factor : what.factors) {
      const std::string folder = here.path() + "/trace";
      round.push_back(measure(what, factor, folder));
      temporary_folder::remove(folder);
      if (interrupted != 0) break;
      shown.note_end();
    }
    if (interrupted != 0) break;
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i].push_back(round[i]);
  }
  if (rounds == 0) throw std::runtime_error("interrupted before the first round had ended");
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

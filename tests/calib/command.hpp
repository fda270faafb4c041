// am-calibrate as people and scripts start it: arguments, status, and what it writes.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "contains.hpp"

// The program of this build.
extern const char* const am_calibrate;

struct command_result {
  int status;
  std::string out;
  std::string err;
};

// A folder of our own, gone afterwards.
class scratch {
 public:
  scratch() {
    std::string pattern = std::filesystem::temp_directory_path() / "calib-command-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~scratch() { std::filesystem::remove_all(folder_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class command {
 public:
  explicit command(std::vector<std::string> arguments, const std::string& program = am_calibrate,
                   bool one_cpu = false) {
    arguments.insert(arguments.begin(), program);
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (one_cpu) {
      cpu_set_t mask;
      ::sched_getaffinity(0, sizeof mask, &mask);
      int first = 0;
      while (!CPU_ISSET(first, &mask)) ++first;
      CPU_ZERO(&mask);
      CPU_SET(first, &mask);
      ::sched_setaffinity(0, sizeof mask, &mask);
    }
    ::dup2(::creat(files_.path("out").c_str(), 0600), STDOUT_FILENO);
    ::dup2(::creat(files_.path("err").c_str(), 0600), STDERR_FILENO);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  ~command() {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
  }
  command(const command&) = delete;
  command& operator=(const command&) = delete;
  void interrupt() const { ::kill(pid_, SIGINT); }
  [[nodiscard]] bool running() const {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == 0;
  }
  command_result wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            text_of(files_.path("out")), text_of(files_.path("err"))};
  }

 private:
  scratch files_;
  pid_t pid_ = -1;
};

inline command_result calibrate(std::vector<std::string> arguments) {
  return command(std::move(arguments)).wait();
}

inline bool measured(int status) { return status == 0 || status == 3; }

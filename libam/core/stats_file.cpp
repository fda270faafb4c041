#include <libam/core/stats_file.hpp>

#include <libam/base/error.hpp>
#include <libam/base/log.hpp>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace am::detail::core {

namespace {

// A FIFO or terminal may be full: how long a rank that leaves waits for room.
constexpr std::chrono::seconds write_timeout{5};

// A write to a pipe without a reader fails with EPIPE; its signal would end the program.
class without_sigpipe {
 public:
  without_sigpipe() noexcept {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t waiting;
    was_waiting_ = ::sigpending(&waiting) == 0 && ::sigismember(&waiting, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~without_sigpipe() {
    constexpr timespec at_once{};
    while (!was_waiting_ && ::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  without_sigpipe(const without_sigpipe&) = delete;
  without_sigpipe& operator=(const without_sigpipe&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_waiting_ = false;
};

bool is_fifo(const std::string& name) noexcept {
  struct stat found {};
  return ::stat(name.c_str(), &found) == 0 && S_ISFIFO(found.st_mode);
}

}  // namespace

// O_NONBLOCK: otherwise open would wait for a FIFO's reader, and a write for room, without a limit.
am_status stats_file::open(const std::string& name) {
  if (name.empty()) return AM_OK;
  name_ = name;
  constexpr int how = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  file_ = base::fd(name == "-" ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
                               : ::open(name.c_str(), how, 0666));
  if (file_.valid()) return AM_OK;
  const int error = errno;
  if (error == ENXIO && is_fifo(name))
    return base::fail(AM_ARGUMENT_SETTING,
                      "AM_STATS={}: no process reads this FIFO: start its reader before the job",
                      name);
  return base::fail(AM_ARGUMENT_SETTING, "AM_STATS={}: {}", name, std::strerror(error));
}

void stats_file::add(std::string_view line) noexcept {
  const without_sigpipe here;
  while (!line.empty()) {
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      if (base::wait_ready(file_.get(), POLLOUT, std::chrono::steady_clock::now() + write_timeout))
        continue;
      return base::log(base::log_level::warn,
                       "AM_STATS={}: the counters are lost: no process has read for {} s", name_,
                       write_timeout.count());
    }
    if (written <= 0)
      return base::log(base::log_level::warn, "AM_STATS={}: the counters are lost: {}", name_,
                       std::strerror(errno));
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace am::detail::core

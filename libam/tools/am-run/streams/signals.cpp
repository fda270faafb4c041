// signalfd over a blocked set.
#include <libam/tools/am-run/streams/signals.hpp>

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

namespace am::detail::run {
namespace {

bool keeps_broken_pipe = false;

bool is_ignored(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

signals::signals() {
  ::signal(SIGCHLD, SIG_DFL);  // if inherited as ignored it would hide how ranks ended
  sigset_t watched;
  ::sigemptyset(&watched);
  ::sigaddset(&watched, SIGCHLD);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP})
    if (!is_ignored(number)) ::sigaddset(&watched, number);
  sigset_t blocked = watched;
  ::sigaddset(&blocked, SIGPIPE);
  ::sigaddset(&blocked, SIGTTIN);
  ::sigprocmask(SIG_BLOCK, &blocked, &original_);
  fd_ = base::fd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_.valid()) throw std::system_error(errno, std::generic_category(), "signalfd");
}

signals::~signals() { ::sigprocmask(SIG_SETMASK, &original_, nullptr); }

std::optional<received_signal> signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return received_signal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

void signals::keep_broken_pipe() { keeps_broken_pipe = true; }

void signals::drop_broken_pipe() {
  if (keeps_broken_pipe) return;
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, SIGPIPE);
  const timespec now{};
  (void)::sigtimedwait(&one, nullptr, &now);
}

void signals::apply_default_action(int number) {
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, number);
  ::raise(number);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::sigprocmask(SIG_BLOCK, &one, nullptr);
}

}  // namespace am::detail::run

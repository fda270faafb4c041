#include <calib/program/pair.hpp>

#include <calib/program/cpu.hpp>

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace calib {

void run_pair(std::size_t bytes, const std::function<void(side, std::byte*)>& run,
              const std::function<void(std::byte*)>& prepare) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED)
    report::fault("no shared memory of " + std::to_string(bytes) + " bytes");
  auto* at = static_cast<std::byte*>(memory);
  if (prepare) prepare(at);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) report::fault("cannot fork");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    pin(1);
    run(side::responder, at);
    ::_exit(0);
  }

  // If the child dies while the parent spins, the waitpid below is never reached.
  struct sigaction died {};
  died.sa_sigaction = [](int, siginfo_t* info, void*) {
    if (info->si_code != CLD_EXITED || info->si_status != 0) ::_exit(1);
  };
  died.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP;
  ::sigaction(SIGCHLD, &died, nullptr);

  pin(0);
  run(side::requester, at);
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0)
    report::fault("the other process failed");
  ::munmap(memory, bytes);
  report::done();
}

}  // namespace calib

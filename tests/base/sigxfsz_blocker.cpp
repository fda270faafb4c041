// Exceeding a file size limit is an error while a blocker exists, and a signal before and after.
#include <libam/base/sigxfsz_blocker.hpp>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

using am::detail::base::sigxfsz_blocker;

namespace {

bool is_too_large(int file) { return ::ftruncate(file, 8192) != 0 && errno == EFBIG; }

// The exit status of a child whose files are limited to 4096 bytes; 128 + the signal.
template <class Work>
int exit_status_of(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    const rlimit small{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    ::_exit(work(::memfd_create("large", MFD_CLOEXEC)) ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("exceeding the limit is an error only while a blocker exists") {
  CHECK(exit_status_of([](int file) { return is_too_large(file); }) == 128 + SIGXFSZ);
  CHECK(exit_status_of([](int file) {
          const sigxfsz_blocker outer;
          const sigxfsz_blocker inner;
          return is_too_large(file);
        }) == 0);
  CHECK(exit_status_of([](int file) {
          { const sigxfsz_blocker blocker; }
          return is_too_large(file);
        }) == 128 + SIGXFSZ);
}

TEST_CASE("a SIGXFSZ that the program has blocked stays blocked and pending") {
  CHECK(exit_status_of([](int file) {
          sigset_t one;
          ::sigemptyset(&one);
          ::sigaddset(&one, SIGXFSZ);
          ::sigprocmask(SIG_BLOCK, &one, nullptr);
          const bool before = is_too_large(file);
          {
            const sigxfsz_blocker blocker;
            if (!is_too_large(file)) return false;
          }
          sigset_t pending;
          ::sigpending(&pending);
          return before && ::sigismember(&pending, SIGXFSZ) == 1;
        }) == 0);
}

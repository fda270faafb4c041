// A file that is too large is an error while a guard is there, and a signal before and after.
#include <libam/base/large_files.hpp>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

using am::detail::base::large_files_are_errors;

namespace {

bool is_too_large(int file) { return ::ftruncate(file, 8192) != 0 && errno == EFBIG; }

// What ends a child in which files may have 4096 bytes.
template <class Work>
int end_of(Work&& work) {
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

TEST_CASE("a file that is too large is an error while it is here, and only then") {
  CHECK(end_of([](int file) { return is_too_large(file); }) == 128 + SIGXFSZ);
  CHECK(end_of([](int file) {
          const large_files_are_errors outer;
          const large_files_are_errors inner;
          return is_too_large(file);
        }) == 0);
  CHECK(end_of([](int file) {
          { const large_files_are_errors meanwhile; }
          return is_too_large(file);
        }) == 128 + SIGXFSZ);
}

TEST_CASE("a signal that the program has blocked stays blocked, and its own") {
  CHECK(end_of([](int file) {
          sigset_t one;
          ::sigemptyset(&one);
          ::sigaddset(&one, SIGXFSZ);
          ::sigprocmask(SIG_BLOCK, &one, nullptr);
          const bool before = is_too_large(file);
          {
            const large_files_are_errors meanwhile;
            if (!is_too_large(file)) return false;
          }
          sigset_t pending;
          ::sigpending(&pending);
          return before && ::sigismember(&pending, SIGXFSZ) == 1;
        }) == 0);
}

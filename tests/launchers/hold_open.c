/* Preloaded into a rank that is to stay in its join: it stops where libam opens a file named
 * "stays" (AM_STATS), after it has made "stays.held" beside it. */
#define _GNU_SOURCE  // NOLINT(readability-identifier-naming): the name of the C library
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int really_open(const char* path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static void hold(const char* path) {
  static const char name[] = "/stays";
  const size_t length = strlen(path);
  char held[4096];
  if (length < sizeof name - 1 || strcmp(path + length - (sizeof name - 1), name) != 0) return;
  snprintf(held, sizeof held, "%s.held", path);
  (void)really_open(held, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  for (;;) pause();
}

int open(const char* path, int flags, ...) {
  va_list rest;
  mode_t mode;
  va_start(rest, flags);
  mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  hold(path);
  return really_open(path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

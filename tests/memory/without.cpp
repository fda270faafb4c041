// Runs a command for which the kernel refuses what DENY names: PROGRAM COMMAND…; exits 77 if that
// is not possible.
#include "../support/deny.hpp"

#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  if (!am_test::DENY()) return 77;
  ::execvp(argv[1], argv + 1);
  std::perror(argv[1]);
  return 127;
}

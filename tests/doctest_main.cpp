// The main of every unit test program.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  doctest::Context tests(argc, argv);
  if (std::getenv("LIBAM_TEST_FAIL_FAST") != nullptr) tests.setOption("abort-after", 1);
  return tests.run();
}

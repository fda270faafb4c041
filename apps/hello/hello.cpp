// The smallest job: every rank joins, says who it is, and leaves.
#include <am/am.hpp>

#include <cstdio>

int main(int argc, char** argv) try {
  am::endpoint ep = am::join(argc, argv);
  std::printf("hello from rank %u of %u\n", ep.rank(), ep.ranks());
} catch (const am::error& error) {
  std::fprintf(stderr, "hello: %s\n", error.what());
  return 1;
}

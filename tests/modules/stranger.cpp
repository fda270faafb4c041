// Writes into the pipe of the sample what no libam has sent: a request, or one whose payload is
// longer than any.
//   test-stranger unsent|long
#include <am/am.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace {

bool met = false;
void meet(am::request_token) { met = true; }

// The end for writing of a pipe that never waits: the sample's.
bool is_it(int descriptor) {
  struct stat about {};
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && (flags & O_NONBLOCK) != 0 &&
         ::fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

// Says whether there is one.
bool write_nonsense(std::uint64_t payload_bytes) {
  const std::array<std::uint64_t, 8> request{0, 0, 0, 0, 0, 0, 0, payload_bytes};
  bool found = false;
  for (int descriptor = 3; descriptor < 100; ++descriptor)
    found |= is_it(descriptor) && ::write(descriptor, request.data(), sizeof request) > 0;
  return found;
}

}  // namespace

// Where the long one is read a request is on its way; where the other one is, none.
int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  const bool is_long = argc > 1 && argv[1] == std::string_view("long");
  if (!is_long) {
    ep.request<meet>(0);
    ep.wait([] { return met; });
  }
  if (!write_nonsense(is_long ? ~std::uint64_t{63} : 0)) return 2;
  if (is_long) ep.request<meet>(0);
  ep.wait([] { return false; });
}

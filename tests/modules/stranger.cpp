// Writes what no libam sends into the pipe of the sample transport: a request that was not sent, or
// one whose payload is longer than allowed.
//   test-stranger unsent|long
#include <am/am.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace {

bool received = false;
void on_request(am::request_token) { received = true; }

// Whether this is the sample's pipe: a non-blocking end for writing.
bool is_sample_pipe(int descriptor) {
  struct stat about {};
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && (flags & O_NONBLOCK) != 0 &&
         ::fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

// False if there is no such pipe.
bool write_invalid(std::uint64_t payload_bytes) {
  const std::array<std::uint64_t, 8> request{0, 0, 0, 0, 0, 0, 0, payload_bytes};
  bool found = false;
  for (int descriptor = 3; descriptor < 100; ++descriptor)
    found |= is_sample_pipe(descriptor) && ::write(descriptor, request.data(), sizeof request) > 0;
  return found;
}

}  // namespace

// While the long one is read a request is in flight; while the other one is read, none.
int main(int argc, char** argv) {
  am::endpoint ep = am::join(argc, argv);
  const bool is_long = argc > 1 && argv[1] == std::string_view("long");
  if (!is_long) {
    ep.request<on_request>(0);
    ep.wait([] { return received; });
  }
  if (!write_invalid(is_long ? ~std::uint64_t{63} : 0)) return 2;
  if (is_long) ep.request<on_request>(0);
  ep.wait([] { return false; });
}

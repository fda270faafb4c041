// Memory is reserved although signals arrive faster than that takes. Newer kernels let no signal
// interrupt fallocate, so this program wraps it by one that is interrupted like an older kernel's.
#include <libam/base/error.hpp>
#include <libam/base/shared_memory.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

using am::detail::base::fd;
using am::detail::base::shared_memory;

namespace {

constexpr std::size_t page = 4096;

std::size_t between_signals = 0;  // pages; 0: no signals
std::size_t until_signal = 0;
unsigned interrupted = 0;

}  // namespace

extern "C" int __real_fallocate(int file, int mode, off_t from, off_t bytes);
extern "C" int __wrap_fallocate(int file, int mode, off_t from, off_t bytes) {
  const std::size_t pages = (static_cast<std::size_t>(bytes) + page - 1) / page;
  if (between_signals == 0) return __real_fallocate(file, mode, from, bytes);
  if (pages <= until_signal) {
    until_signal -= pages;
    return __real_fallocate(file, mode, from, bytes);
  }
  constexpr unsigned enough = 10000;
  until_signal = between_signals;
  errno = ++interrupted < enough ? EINTR : ELOOP;
  return -1;
}

TEST_CASE("memory is reserved although signals arrive faster than that takes") {
  constexpr std::size_t pages = 5000;
  for (const std::size_t often : {1UL, 2UL, 3UL, 100UL, 4999UL}) {
    CAPTURE(often);
    fd memory;
    REQUIRE(shared_memory::create(memory) == AM_OK);
    const int file = memory.get();
    shared_memory one;
    REQUIRE(one.map(std::move(memory), 2 * pages * page) == AM_OK);
    interrupted = 0;
    between_signals = until_signal = often;
    const am_status status = one.reserve(page + 7, pages * page - 100);
    between_signals = 0;
    REQUIRE(status == AM_OK);
    CHECK(interrupted != 0);
    struct stat what {};
    REQUIRE(::fstat(file, &what) == 0);
    CHECK(static_cast<std::size_t>(what.st_blocks) * 512 == pages * page);
  }
}

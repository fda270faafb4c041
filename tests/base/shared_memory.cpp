// Shared memory: its size is fixed, its pages are reserved, a fork does not inherit it.
#include <libam/base/error.hpp>
#include <libam/base/shared_memory.hpp>

#include "../support/deny.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <string>

using namespace am::detail;
using base::shared_memory;

namespace {

constexpr std::size_t one_mib = 1U << 20;

base::fd duplicate(const base::fd& memory) { return base::fd(::dup(memory.get())); }

std::size_t blocks_of(const base::fd& memory) {
  struct stat what {};
  ::fstat(memory.get(), &what);
  return static_cast<std::size_t>(what.st_blocks) * 512;
}

// Runs the test in a child, which may restrict itself; returns its exit status.
template <class Test>
int in_child(Test&& test) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test());
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("two mappings of one memory share their bytes") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  shared_memory two;
  REQUIRE(one.map(duplicate(memory), one_mib) == AM_OK);
  REQUIRE(two.map(duplicate(memory), one_mib) == AM_OK);
  REQUIRE(one.reserve(4096, 1) == AM_OK);
  one.data()[4096] = std::byte{7};
  CHECK(two.data()[4096] == std::byte{7});
  CHECK(two.total_bytes() == one_mib);
}

TEST_CASE("a new memory has no name, is empty, and is closed by exec") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  struct stat what {};
  REQUIRE(::fstat(memory.get(), &what) == 0);
  CHECK(what.st_size == 0);
  CHECK((::fcntl(memory.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a mapping of another size is refused with both sizes") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  REQUIRE(one.map(duplicate(memory), one_mib) == AM_OK);
  for (const std::size_t other : {one_mib / 2, one_mib * 2}) {
    shared_memory two;
    CHECK(two.map(duplicate(memory), other) == AM_ARGUMENT_SETTING);
    const std::string line = base::error_text();
    CHECK(line.find(std::to_string(one_mib)) != std::string::npos);
    CHECK(line.find(std::to_string(other)) != std::string::npos);
    CHECK(two.data() == nullptr);
  }
}

TEST_CASE("the size can no longer be changed") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  REQUIRE(one.map(duplicate(memory), one_mib) == AM_OK);
  CHECK(::ftruncate(memory.get(), 0) != 0);
  CHECK(::ftruncate(memory.get(), 2 * one_mib) != 0);
}

TEST_CASE("pages exist only where they were reserved") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  REQUIRE(one.map(duplicate(memory), 1000 * one_mib) == AM_OK);
  CHECK(blocks_of(memory) == 0);
  REQUIRE(one.reserve(500 * one_mib + 100, 5000) == AM_OK);
  CHECK(blocks_of(memory) == 2 * 4096);
  REQUIRE(one.reserve(500 * one_mib + 100, 5000) == AM_OK);
  CHECK(blocks_of(memory) == 2 * 4096);
}

TEST_CASE("memory outside the mapping cannot be reserved") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  REQUIRE(one.map(duplicate(memory), one_mib) == AM_OK);
  CHECK(one.reserve(one_mib, 1) == AM_ARGUMENT_SIZE);
  CHECK(one.reserve(0, one_mib + 1) == AM_ARGUMENT_SIZE);
  CHECK(one.reserve(~std::size_t{0}, 2) == AM_ARGUMENT_SIZE);
  CHECK(one.reserve(0, one_mib) == AM_OK);
}

TEST_CASE("the child of a fork has no mapping") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  REQUIRE(one.map(duplicate(memory), one_mib) == AM_OK);
  REQUIRE(one.reserve(0, 4096) == AM_OK);
  const pid_t child = ::fork();
  if (child == 0) {
    unsigned char resident = 0;
    ::_exit(::mincore(one.data(), 4096, &resident) == 0 ? 1 : 0);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("a limit on file sizes is an error and not a signal") {
  CHECK(in_child([] {
          const rlimit small{4096, 4096};
          ::setrlimit(RLIMIT_FSIZE, &small);
          base::fd memory;
          shared_memory one;
          const bool made = shared_memory::create(memory) == AM_OK;
          const bool refused = one.map(std::move(memory), one_mib) == AM_RESOURCE_SPACE;
          return made && refused ? 0 : 1;
        }) == 0);
}

TEST_CASE("where files may not be large enough for all, every rank maps what is possible") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  CHECK(in_child([&] {
          const rlimit small{2 * one_mib, 2 * one_mib};
          ::setrlimit(RLIMIT_FSIZE, &small);
          shared_memory one;
          const bool made = one.map(duplicate(memory), one_mib, 10 * one_mib) == AM_OK;
          return made && one.total_bytes() == one_mib && one.reserve(0, one_mib) == AM_OK ? 0 : 1;
        }) == 0);
  // No limit applies to this mapping.
  shared_memory two;
  REQUIRE(two.map(duplicate(memory), one_mib, 10 * one_mib) == AM_OK);
  CHECK(two.total_bytes() == one_mib);
}

TEST_CASE("without memfds an unlinked file is used, with the same properties") {
  CHECK(in_child([] {
          if (!am_test::deny_memfd()) return 0;
          base::fd memory;
          if (shared_memory::create(memory) != AM_OK) return 1;
          struct stat what {};
          ::fstat(memory.get(), &what);
          if (what.st_nlink != 0 || what.st_size != 0 || blocks_of(memory) != 0) return 2;
          if ((::fcntl(memory.get(), F_GETFD) & FD_CLOEXEC) == 0) return 3;
          shared_memory one;
          shared_memory two;
          if (one.map(duplicate(memory), one_mib, 1000 * one_mib) != AM_OK) return 4;
          if (two.map(duplicate(memory), one_mib, 1000 * one_mib) != AM_OK) return 5;
          if (shared_memory().map(duplicate(memory), 2 * one_mib) != AM_ARGUMENT_SETTING) return 6;
          if (one.reserve(0, 4096) != AM_OK || blocks_of(memory) != 4096) return 7;
          one.data()[0] = std::byte{7};
          if (two.data()[0] != std::byte{7}) return 8;
          one.release(0, 4096);
          return blocks_of(memory) == 0 && two.data()[0] == std::byte{0} ? 0 : 9;
        }) == 0);
}

TEST_CASE("without memfds a file size limit of zero is an error and not a signal") {
  CHECK(in_child([] {
          if (!am_test::deny_memfd()) return 0;
          const rlimit none{0, 0};
          ::setrlimit(RLIMIT_FSIZE, &none);
          base::fd memory;
          return shared_memory::create(memory) == AM_RESOURCE_MEMORY ? 0 : 1;
        }) == 0);
}

TEST_CASE("neither memfd nor folder: an error with both reasons") {
  CHECK(in_child([] {
          if (!am_test::deny_memfd()) return 0;
          base::fd memory;
          if (shared_memory::create(memory, "/nowhere") != AM_RESOURCE_MEMORY) return 1;
          const std::string line = base::error_text();
          const bool both = line.find("memfd_create: Operation not permitted") != line.npos &&
                            line.find("/nowhere: No such file") != line.npos;
          return both ? 0 : 2;
        }) == 0);
}

TEST_CASE("a view is the same mapping and does not unmap it") {
  base::fd memory;
  REQUIRE(shared_memory::create(memory) == AM_OK);
  shared_memory one;
  REQUIRE(one.map(duplicate(memory), one_mib) == AM_OK);
  REQUIRE(one.reserve(0, 4096) == AM_OK);
  {
    shared_memory other;
    REQUIRE(other.view(one) == AM_OK);
    CHECK(other.data() == one.data());
    REQUIRE(other.reserve(8192, 4096) == AM_OK);
  }
  one.data()[8192] = std::byte{1};
  shared_memory moved = std::move(one);
  CHECK(moved.data()[8192] == std::byte{1});
  CHECK(one.data() == nullptr);  // NOLINT(bugprone-use-after-move): a moved-from mapping is empty
}

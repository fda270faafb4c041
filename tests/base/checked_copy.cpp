// Copies from and to unmapped memory, by both methods of checked_copy.
#include <libam/base/checked_copy.hpp>

#include "../support/deny.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace base = am::detail::base;

namespace {

constexpr std::size_t page = 4096;

// Three pages; the last one is inaccessible.
struct broken_memory {
  broken_memory()
      : at(static_cast<std::byte*>(::mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    // Not unmapped: another thread's mmap, a sanitizer's for example, could take the hole.
    ::mprotect(at + 2 * page, page, PROT_NONE);
  }
  ~broken_memory() { ::munmap(at, 3 * page); }
  std::byte* at;
};

// The number of copies with a wrong result.
unsigned copy_around_the_edge() {
  unsigned wrong = 0;
  broken_memory memory;
  std::vector<std::byte> data(300000, std::byte{7});
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, page, 2 * page}) {
    wrong += base::copy_checked(memory.at + 2 * page - size, data.data(), size) !=
             base::copy_status::all;
    wrong += std::count(memory.at + 2 * page - size, memory.at + 2 * page, std::byte{7}) !=
             static_cast<long>(size);
    wrong += base::copy_checked(data.data(), memory.at + 2 * page - size, size) !=
             base::copy_status::all;
  }
  for (const std::size_t size : {std::size_t{1}, 2 * page + 1, data.size()}) {
    std::byte* const there = size == 1 ? memory.at + 2 * page : memory.at;
    wrong += base::copy_checked(there, data.data(), size) != base::copy_status::bad_remote_address;
    wrong += base::copy_checked(data.data(), there, size) != base::copy_status::bad_local_address;
  }
  std::vector<std::byte> large(data.size());
  wrong += base::copy_checked(large.data(), data.data(), data.size()) != base::copy_status::all;
  wrong += large != data;
  return wrong;
}

}  // namespace

TEST_CASE("a copy reports unmapped memory, and succeeds up to its edge") {
  CHECK(copy_around_the_edge() == 0);
}

TEST_CASE("the same where the kernel refuses to copy between processes") {
  const pid_t child = ::fork();
  if (child == 0) {
    const bool denied = am_test::deny_process_vm();
    std::byte here{};
    const bool refused =
        base::copy_from_process(::getpid(), &here, &child, 1) == base::copy_status::forbidden;
    ::_exit(!denied ? 77 : refused ? static_cast<int>(copy_around_the_edge()) : 78);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) {
    MESSAGE("this kernel cannot refuse system calls: not looked at");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a copy from a process that does not exist is forbidden, not a bad address") {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  std::byte here{};
  CHECK(base::copy_from_process(child, &here, &here, 1) == base::copy_status::forbidden);
}

TEST_CASE("a copy reports which end is not mapped, whatever the offsets within their pages") {
  broken_memory to;
  broken_memory from;
  const std::size_t most = 2 * page;
  for (const std::size_t to_edge : {1UL, 7UL, 64UL, 4000UL, page, page + 1, most})
    for (const std::size_t from_edge : {2UL, 9UL, 65UL, 4001UL, page + 2, most - 1}) {
      CAPTURE(to_edge);
      CAPTURE(from_edge);
      std::byte* const there = to.at + most - to_edge;
      const std::byte* const here = from.at + most - from_edge;
      const auto due = to_edge < from_edge ? base::copy_status::bad_remote_address
                                           : base::copy_status::bad_local_address;
      CHECK(base::copy_to_process(::getpid(), there, here, most + 1) == due);
    }
  std::vector<std::byte> data(most + 1);
  CHECK(base::copy_from_process(::getpid(), to.at, data.data(), most + 1) ==
        base::copy_status::bad_local_address);
  CHECK(base::copy_from_process(::getpid(), data.data(), to.at, most + 1) ==
        base::copy_status::bad_remote_address);
}

TEST_CASE("a copy to read-only local memory fails") {
  broken_memory memory;
  std::vector<std::byte> data(page);
  ::mprotect(memory.at, page, PROT_READ);
  CHECK(base::copy_from_process(::getpid(), memory.at, data.data(), page) ==
        base::copy_status::bad_local_address);
  CHECK(base::copy_to_process(::getpid(), data.data(), memory.at, page) == base::copy_status::all);
}

TEST_CASE("a writability check reports whether a word can be written, and does not change it") {
  broken_memory memory;
  auto* const word = reinterpret_cast<std::uint64_t*>(memory.at);
  *word = 41;
  CHECK(base::is_word_writable(word));
  CHECK(*word == 41);
  ::mprotect(memory.at, page, PROT_READ);
  CHECK_FALSE(base::is_word_writable(word));
  CHECK_FALSE(base::is_word_writable(memory.at + 2 * page));
}

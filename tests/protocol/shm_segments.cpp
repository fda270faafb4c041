// Segments: where they are placed, and when peers find them.
#include "shm_job.hpp"

#include <transports/shm/remote_memory.hpp>
#include <transports/shm/segments.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <vector>

namespace protocol_shm_segments {

namespace base = am::detail::base;
namespace shm = am::detail::shm;
using am::detail::seam::transfer_status;

namespace {

struct two_ranks {
  two_ranks() : layout(2, 64) {
    base::fd file;
    REQUIRE(base::shared_memory::create(file) == AM_OK);
    REQUIRE(memory.map(std::move(file), layout.job_bytes(), layout.file_bytes()) == AM_OK);
    for (am_rank rank : {0U, 1U})
      REQUIRE(memory.reserve(layout.control_block_at(rank), shm::page + layout.directory_bytes()) ==
              AM_OK);
  }
  shm::layout layout;
  base::shared_memory memory;
};

}  // namespace

TEST_CASE("segments are whole, zero, disjoint, and gone when they are destroyed") {
  two_ranks job;
  shm::segments mine(job.memory, job.layout, 0);
  shm::remote_memory seen(job.memory, job.layout, 0, base::bulk_method::map);
  std::vector<std::byte*> at;
  for (unsigned i = 0; i < 20; ++i) {
    const std::size_t bytes = 1 + i * 3000;
    at.push_back(static_cast<std::byte*>(mine.create(bytes)));
    REQUIRE(at.back() != nullptr);
    for (std::size_t b = 0; b < bytes; ++b) REQUIRE(at.back()[b] == std::byte{0});
    std::memset(at.back(), static_cast<int>(i + 1), bytes);
  }
  // Every second one is destroyed, and others reuse the space.
  for (unsigned i = 0; i < 20; i += 2) mine.destroy(at[i]);
  for (unsigned i = 0; i < 20; i += 2) {
    const std::size_t bytes = 1 + (19 - i) * 3000;
    at[i] = static_cast<std::byte*>(mine.create(bytes));
    REQUIRE(at[i] != nullptr);
    for (std::size_t b = 0; b < bytes; ++b) REQUIRE(at[i][b] == std::byte{0});
    std::memset(at[i], static_cast<int>(i + 1), bytes);
  }
  for (unsigned i = 0; i < 20; ++i) {
    CAPTURE(i);
    const std::byte* const there = seen.mapped(at[i], 1);
    REQUIRE(there != nullptr);
    REQUIRE(there != at[i]);  // another mapping
    CHECK(*there == static_cast<std::byte>(i + 1));
  }
  mine.destroy(at[7]);
  CHECK(seen.mapped(at[7], 1) == nullptr);
  CHECK(seen.mapped(at[8], 1) != nullptr);
}

TEST_CASE("a range counts as in a segment only when all of it is") {
  two_ranks job;
  shm::segments mine(job.memory, job.layout, 1);
  shm::remote_memory seen(job.memory, job.layout, 1, base::bulk_method::map);
  auto* const at = static_cast<std::byte*>(mine.create(2 * shm::page));
  CHECK(seen.mapped(at, 2 * shm::page) != nullptr);
  CHECK(seen.mapped(at, 2 * shm::page + 1) == nullptr);
  CHECK(seen.mapped(at - 1, 1) == nullptr);
  CHECK(seen.mapped(at + 1, 2 * shm::page) == nullptr);
  CHECK(seen.mapped(at, ~std::size_t{0}) == nullptr);
  std::byte one{9};
  CHECK(seen.put(at + 5, &one, 1) == transfer_status::done);
  CHECK(at[5] == std::byte{9});
  CHECK(seen.put(at - 1, &one, 1) == transfer_status::unsupported);
}

TEST_CASE("a directory whose rank was stopped while writing it is not waited for") {
  two_ranks job;
  shm::segments mine(job.memory, job.layout, 0);
  void* const at = mine.create(1);
  auto& directory =
      *reinterpret_cast<shm::segment_directory*>(job.memory.data() + job.layout.directory_at(0));
  directory.version.fetch_add(1);
  shm::remote_memory seen(job.memory, job.layout, 0, base::bulk_method::map);
  CHECK(seen.mapped(at, 1) == nullptr);
  directory.version.fetch_add(1);
  CHECK(seen.mapped(at, 1) != nullptr);
}

TEST_CASE("more segments than the directory holds, and larger ones than the machine has memory") {
  two_ranks job;
  shm::segments mine(job.memory, job.layout, 0);
  for (std::size_t i = 0; i < shm::most_segments; ++i) REQUIRE(mine.create(1) != nullptr);
  CHECK(mine.create(1) == nullptr);
  CHECK(mine.create(std::size_t{1} << 39) == nullptr);
  CHECK(mine.create(0) == nullptr);
}

TEST_CASE("a segment is mapped only where its rank has room for segments, page by page") {
  two_ranks job;
  auto& directory =
      *reinterpret_cast<shm::segment_directory*>(job.memory.data() + job.layout.directory_at(1));
  constexpr std::uint64_t address = 64 * shm::page;
  const auto found = [&](std::uint64_t at, std::uint64_t bytes, std::uint64_t offset) {
    directory.entries[0].address = at;
    directory.entries[0].bytes = bytes;
    directory.entries[0].offset = offset;
    directory.version.fetch_add(2);
    shm::remote_memory seen(job.memory, job.layout, 1, base::bulk_method::map);
    return seen.mapped(reinterpret_cast<void*>(address), 8) != nullptr;
  };
  const std::uint64_t room = job.layout.segments_at(1);
  CHECK(found(address, shm::page, room));
  CHECK(found(address, shm::page, room + shm::segment_room - shm::page));
  CHECK(!found(address, shm::page, room + shm::segment_room));
  CHECK(!found(address, 2 * shm::page, room + shm::segment_room - shm::page));
  CHECK(!found(address, shm::page, room - shm::page));
  CHECK(!found(address, shm::page, job.layout.control_block_at(0)));
  CHECK(!found(address, shm::page, ~std::uint64_t{0} - shm::page + 1));
  CHECK(!found(address - 4, shm::page, room));
  CHECK(!found(address, shm::page, room + 8));
}

TEST_CASE("for a neighbour that claims this process as its own, the kernel writes nothing") {
  two_ranks job;
  auto& theirs =
      *reinterpret_cast<shm::control_block*>(job.memory.data() + job.layout.control_block_at(1));
  const std::uint64_t token = 12345;
  theirs.pid = ::getpid();
  theirs.token = token;
  theirs.token_address = reinterpret_cast<std::uintptr_t>(&token);
  shm::remote_memory seen(job.memory, job.layout, 1, base::bulk_method::automatic);
  std::byte mine{1};
  const std::byte other{2};
  CHECK(seen.put(&mine, &other, 1) == transfer_status::unsupported);
  CHECK(mine == std::byte{1});
}

}  // namespace protocol_shm_segments

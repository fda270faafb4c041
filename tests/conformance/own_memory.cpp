// Bulk data from and to unmapped local memory, where the kernel copies. In messages, and into
// segments, a rank reads its own memory itself, and faults.
#include "../support/suite.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

void on_store(am::request_token, void*, std::size_t, am::word) {}
void on_get(am::reply_token, void*, std::size_t, am::word) {}

struct rank_memory {
  pid_t pid;
  std::byte* bytes;
};

// Of every rank.
std::vector<rank_memory> exchange_memory(am_test::session& job, std::byte* mine) {
  auto& ep = job.ep();
  const rank_memory own{::getpid(), mine};
  ep.job_put("own_memory", std::as_bytes(std::span(&own, 1)));
  ep.job_fence();
  std::vector<rank_memory> all(job.ranks());
  for (am::rank_id rank = 0; rank < job.ranks(); ++rank)
    std::memcpy(&all[rank], ep.job_get(rank, "own_memory").data(), sizeof own);
  return all;
}

bool kernel_copies(const std::vector<rank_memory>& all) {
  const char* const way = std::getenv("AM_SHM_BULK");
  const char* const transports = std::getenv("AM_TRANSPORT");
  if (way != nullptr && way != std::string_view("cma")) return false;
  if (transports == nullptr || transports != std::string_view("self,shm")) return false;
  for (const rank_memory& one : all) {
    std::byte byte{};
    const iovec local{&byte, 1};
    const iovec remote{one.bytes, 1};
    if (::process_vm_readv(one.pid, &local, 1, &remote, 1, 0) != 1) return false;
  }
  return true;
}

CASE("unmapped local memory is reported as such", .processes = true) {
  // libam lets the kernel check the address; valgrind takes the check for a use.
  if (std::getenv("LIBAM_TEST_VALGRIND") != nullptr) return;
  auto& ep = job.ep();
  static std::vector<std::byte> mine(40000);
  const std::vector<rank_memory> all = exchange_memory(job, mine.data());
  if (!kernel_copies(all)) return ep.job_fence();
  auto* const nothing_here = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 20);
  const auto* const store = &am::detail::entry_of<on_store>::entry;
  const auto* const get = &am::detail::entry_of<on_get>::entry;
  const auto refused = [](am_status status, std::size_t size) {
    EXPECT_EQ(status, AM_ARGUMENT_ADDRESS);
    const std::string line = std::to_string(size) + " bytes at 0x100000 here: not all of it";
    EXPECT(std::string(am_error_text()).find(line) != std::string::npos);
  };
  for (const std::size_t size : {std::size_t{8}, mine.size()})
    for (const am::rank_id to : {job.next(), ep.rank()}) {
      refused(am_ep_store(ep.raw(), to, all[to].bytes, nothing_here, size, store, 1, 0, 0, 0),
              size);
      refused(am_ep_get(ep.raw(), to, all[to].bytes, nothing_here, size, get, 1, 0, 0, 0), size);
    }
  ep.job_fence();
}

}  // namespace

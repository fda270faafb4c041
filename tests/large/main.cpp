// Bulk data of more than 2^31 bytes, by each bulk method of shm: every size is 64 bits wide.
//   am-run -n 2 test-large
// Rank 1 stores into memory of rank 0 and gets from there.
#include "../support/watchdog.hpp"
#include "aliased_memory.hpp"

#include <am/am.hpp>

#include <cstring>
#include <fstream>
#include <memory>
#include <span>
#include <string>

namespace {

using large::count_wrong;
using large::mark;

std::size_t wrong = 0;
unsigned stored = 0;
unsigned got = 0;

void on_store(am::request_token, void* where, std::size_t bytes, am::word size, am::word number) {
  wrong += bytes != size;
  wrong += count_wrong(static_cast<const std::byte*>(where), bytes, number, number - 1);
  ++stored;
}
void on_get(am::reply_token, void* where, std::size_t bytes, am::word size, am::word number) {
  wrong += bytes != size;
  wrong += count_wrong(static_cast<const std::byte*>(where), bytes, number, number - 1);
  ++got;
}

void* share_address(am::endpoint& ep, void* mine) {
  ep.job_put("large", std::as_bytes(std::span(&mine, 1)));
  ep.job_fence();
  void* place = nullptr;
  std::memcpy(&place, ep.job_get(0, "large").data(), sizeof place);
  return place;
}

void store_and_get(am::endpoint& ep, void* there, std::byte* mine, std::size_t bytes) {
  const bool active = ep.rank() == 1;
  const am::word number = 3;
  // The byte behind the end has the mark of the previous number at the target.
  mark(mine, bytes, active ? number : number - 1);
  const unsigned before = stored;
  ep.job_fence();
  if (active) ep.store<on_store>(0, there, am::bytes_in(mine, bytes), bytes, number);
  if (!active) ep.wait([&] { return stored == before + 1; });
  ep.job_fence();
  mark(mine, bytes, active ? number + 1 : number + 2);
  ep.job_fence();
  if (active) {
    ep.get<on_get>(0, there, am::bytes_out(mine, bytes), bytes, number + 2);
    const unsigned gets = got;
    ep.wait([&] { return got == gets + 1; });
  }
  ep.job_fence();
}

// Whether there is memory for a segment of this size, with a margin.
bool has_memory(std::size_t bytes) {
  std::ifstream all("/proc/meminfo");
  std::string name;
  std::size_t kib = 0;
  while (all >> name >> kib && name != "MemAvailable:") all.ignore(80, '\n');
  return kib * 1024 > bytes + (std::size_t{1} << 30);
}

// The target memory at rank 0: a segment if there is memory for one, or aliased memory.
class target_memory {
 public:
  target_memory(am::endpoint& ep, bool segment, std::size_t bytes) {
    if (!segment || ep.rank() != 0)
      memory_ = std::make_unique<large::aliased_memory>(bytes);
    else if (has_memory(bytes))
      segment_ = std::make_unique<am::segment>(ep, bytes);
  }
  // Null: there is not enough memory.
  [[nodiscard]] std::byte* data() const {
    if (memory_ != nullptr) return memory_->data();
    return segment_ == nullptr ? nullptr : static_cast<std::byte*>(segment_->address());
  }

 private:
  std::unique_ptr<am::segment> segment_;
  std::unique_ptr<large::aliased_memory> memory_;
};

void test_bulk_method(const char* method, std::initializer_list<std::size_t> sizes, int argc,
                      char** argv) {
  am_test::feed_watchdog(100, method);
  ::setenv("AM_SHM_BULK", method, 1);
  am::endpoint ep = am::join(argc, argv);
  const target_memory mine(ep, std::strcmp(method, "map") == 0, std::max(sizes) + 1);
  void* const there = share_address(ep, mine.data());
  if (there == nullptr) {
    if (ep.rank() == 0)
      std::printf("too little memory for a segment of %zu bytes\n", std::max(sizes));
    return;
  }
  for (const std::size_t bytes : sizes) {
    store_and_get(ep, there, mine.data(), bytes);
    if (wrong != 0)
      std::fprintf(stderr, "rank %u: %zu bytes by %s: %zu wrong\n", ep.rank(), bytes, method,
                   wrong);
  }
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t below = large::two_to_31 - 1;
  constexpr std::size_t above = large::two_to_31 + 1;
  test_bulk_method("map", {below, above}, argc, argv);
  test_bulk_method("cma", {below, above, large::two_to_32 + 1}, argc, argv);
  test_bulk_method("fragments", {above}, argc, argv);
  return wrong == 0 ? 0 : 1;
}

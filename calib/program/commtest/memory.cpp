#include <calib/program/commtest/memory.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace calib {
namespace {

// The word at `index` of what a rank sends; it differs from those of all other runs and ranks.
constexpr std::uint64_t word_of(std::uint64_t run, int rank, std::size_t index) {
  return ((4 * run + static_cast<std::uint64_t>(rank)) << 32U) + index;
}
constexpr std::uint64_t not_received = ~std::uint64_t{0};

// Of the CPU that this process runs on. The C library's sysconf gives the sum over all parts of an
// AMD processor, ten times as much as a CPU has: so what the kernel says comes first.
std::size_t last_cache_bytes() {
  std::size_t most = 0;
  const std::string cpu = std::to_string(std::max(::sched_getcpu(), 0));
  for (int index = 0;; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + cpu + "/cache/index" +
                       std::to_string(index) + "/size");
    std::size_t kilobytes = 0;
    if (!(file >> kilobytes)) break;  // "32768K"
    most = std::max(most, kilobytes << 10U);
  }
  if (most == 0) most = static_cast<std::size_t>(std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), 0L));
  constexpr std::size_t usual = 32U << 20U;
  return most > 0 ? most : usual;
}

}  // namespace

swap_memory::swap_memory(std::size_t volume)
    : out_(volume / sizeof(std::uint64_t)), in_(2 * out_.size()) {}

void swap_memory::initialise(std::size_t volume, std::uint64_t run, int rank) {
  const std::size_t words = volume / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < words; ++i) out_[i] = word_of(run, rank, i);
  for (const std::size_t room : {std::size_t{0}, out_.size()})
    std::fill_n(in_.begin() + static_cast<std::ptrdiff_t>(room), words, not_received);
}

// Pages that were never written are all one page of the kernel, which stays in the cache.
void swap_memory::invalidate_caches() {
  if (other_.empty()) other_.assign(4 * last_cache_bytes() / sizeof(std::uint64_t), 1);
  constexpr std::size_t line = 64 / sizeof(std::uint64_t);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < other_.size(); i += line) sum += other_[i];
  asm volatile("" : : "r"(sum));
}

std::optional<swap_memory::difference> swap_memory::find_difference(std::size_t room,
                                                                    std::size_t volume,
                                                                    std::uint64_t run,
                                                                    int rank) const {
  const std::uint64_t* in = in_.data() + room * out_.size();
  for (std::size_t i = 0; i < volume / sizeof(std::uint64_t); ++i)
    if (in[i] != word_of(run, rank, i))
      return difference{i * sizeof(std::uint64_t), in[i], word_of(run, rank, i)};
  return std::nullopt;
}

}  // namespace calib

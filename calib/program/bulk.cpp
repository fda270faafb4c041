#include <calib/program/bulk.hpp>

#include <calib/program/report.hpp>

#include <sys/mman.h>

namespace calib {
namespace {

std::uint64_t& number_at(std::byte* line) noexcept {
  return *reinterpret_cast<std::uint64_t*>(line);
}

}  // namespace

// The rest of each line varies as real data does.
void number_lines(std::byte* at, std::size_t bytes) noexcept {
  auto* word = reinterpret_cast<std::uint64_t*>(at);
  constexpr std::size_t words = line_bytes / sizeof *word;
  for (std::size_t i = 0; i < bytes / sizeof *word; ++i)
    word[i] = i % words == 0 ? i / words : (i + 1) * 0x9e3779b97f4a7c15U;
}

bulk_buffer::bulk_buffer(std::size_t memory_bytes) : bytes_(memory_bytes) {
  void* memory = ::mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED)
    report::fault("no memory of " + std::to_string(memory_bytes) + " bytes");
  at_ = static_cast<std::byte*>(memory);
  number_lines(at_, memory_bytes);
}

bulk_buffer::~bulk_buffer() { ::munmap(at_, bytes_); }

// Line k starts with k; the first and the last line of a piece with k + added.
void bulk_buffer::mark(const bulk_spec& what, std::uint64_t added) noexcept {
  const std::size_t lines = what.bytes / line_bytes;
  for (std::uint64_t n = 0; n < what.count(); ++n) {
    number_at(piece(what, n)) = n * lines + added;
    number_at(piece(what, n + 1) - line_bytes) = (n + 1) * lines - 1 + added;
  }
}

void bulk_buffer::stamp(const bulk_spec& what, std::uint64_t sample) noexcept {
  mark(what, sample);
}

void bulk_buffer::invalidate(const bulk_spec& what) noexcept { mark(what, ~std::uint64_t{0} / 3); }

std::uint64_t bulk_buffer::expected_get(const bulk_spec& what) noexcept {
  const std::uint64_t lines = what.memory_bytes() / line_bytes;
  return what.count() + (what.touched ? lines * (lines - 1) / 2 : 0);
}

std::uint64_t bulk_buffer::expected_store(const bulk_spec& what, std::uint64_t sample) noexcept {
  return expected_get(what) + (what.touched ? 2 * what.count() * sample : 0);
}

std::size_t bulk_memory_for(const std::vector<std::size_t>& sizes) noexcept {
  std::size_t memory_bytes = 0;
  for (const std::size_t bytes : sizes)
    memory_bytes = std::max(memory_bytes, bulk_spec{bytes, false}.memory_bytes());
  return memory_bytes;
}

}  // namespace calib

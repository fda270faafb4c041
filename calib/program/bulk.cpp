#include <calib/program/bulk.hpp>

#include <calib/program/report.hpp>

#include <sys/mman.h>

namespace calib {
namespace {

std::uint64_t& number_at(std::byte* line) noexcept {
  return *reinterpret_cast<std::uint64_t*>(line);
}

}  // namespace

// The rest of each line is as varied as data is.
void number_lines(std::byte* at, std::size_t bytes) noexcept {
  auto* word = reinterpret_cast<std::uint64_t*>(at);
  constexpr std::size_t words = line_bytes / sizeof *word;
  for (std::size_t i = 0; i < bytes / sizeof *word; ++i)
    word[i] = i % words == 0 ? i / words : (i + 1) * 0x9e3779b97f4a7c15U;
}

cargo::cargo(std::size_t room) : room_(room) {
  void* memory = ::mmap(nullptr, room, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) report::fault("no memory of " + std::to_string(room) + " bytes");
  at_ = static_cast<std::byte*>(memory);
  number_lines(at_, room);
}

cargo::~cargo() { ::munmap(at_, room_); }

// Line k has k in front; the first and the last of a piece k + added.
void cargo::mark(const bulk& what, std::uint64_t added) noexcept {
  const std::size_t lines = what.bytes / line_bytes;
  for (std::uint64_t n = 0; n < what.count(); ++n) {
    number_at(piece(what, n)) = n * lines + added;
    number_at(piece(what, n + 1) - line_bytes) = (n + 1) * lines - 1 + added;
  }
}

void cargo::stamp(const bulk& what, std::uint64_t sample) noexcept { mark(what, sample); }

void cargo::wipe(const bulk& what) noexcept { mark(what, ~std::uint64_t{0} / 3); }

std::uint64_t cargo::expected_get(const bulk& what) noexcept {
  const std::uint64_t lines = what.room() / line_bytes;
  return what.count() + (what.touched ? lines * (lines - 1) / 2 : 0);
}

std::uint64_t cargo::expected_store(const bulk& what, std::uint64_t sample) noexcept {
  return expected_get(what) + (what.touched ? 2 * what.count() * sample : 0);
}

std::size_t room_for(const std::vector<std::size_t>& sizes) noexcept {
  std::size_t room = 0;
  for (const std::size_t bytes : sizes) room = std::max(room, bulk{bytes, false}.room());
  return room;
}

}  // namespace calib

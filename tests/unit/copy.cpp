// Bulk copies: every byte and no other, for sizes around each step of the routine and every
// alignment.
#include <transports/shm/copy.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace shm = am::detail::shm;

namespace {

constexpr std::size_t places = 16;  // of source and target within 16 bytes
constexpr std::size_t guard = 64;
constexpr std::byte untouched{0xa5};

// Bytes with a long period, so that stale data is never right by chance.
std::vector<std::byte> varied(std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  std::uint32_t state = 1;
  for (std::byte& b : out) b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return out;
}

bool all_guards(const std::byte* from, const std::byte* end) {
  return std::all_of(from, end, [](std::byte b) { return b == untouched; });
}

// Copies between all pairs of alignments; returns the number of wrong ones.
template <class Copy>
unsigned copy_between_all_places(Copy&& copy, std::size_t size) {
  unsigned wrong = 0;
  const std::vector<std::byte> source = varied(size + places);
  std::vector<std::byte> target(guard + places + size + guard, untouched);
  const std::byte* const end = target.data() + target.size();
  for (std::size_t from = 0; from < places; ++from) {
    for (std::size_t to = 0; to < places; ++to) {
      std::byte* const at = target.data() + guard + to;
      copy(at, source.data() + from, size);
      wrong += size != 0 && std::memcmp(at, source.data() + from, size) != 0;
      wrong += !all_guards(target.data(), at) || !all_guards(at + size, end);
      std::fill_n(at, std::min(size, guard), untouched);
      std::fill_n(at + size - std::min(size, guard), std::min(size, guard), untouched);
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("copies of every size between all alignments") {
  for (const std::size_t size : {0, 1, 63, 64, 65, 127, 128, 129, 200, 255, 256, 257}) {
    CAPTURE(size);
    CHECK(copy_between_all_places(shm::copy, size) == 0);
    CHECK(copy_between_all_places(shm::copy_past_caches, size) == 0);
  }
}

TEST_CASE("copies around the size above which they bypass the caches") {
  for (const std::size_t size :
       {shm::past_caches_from - 1, shm::past_caches_from, shm::past_caches_from + 1}) {
    CAPTURE(size);
    CHECK(copy_between_all_places(shm::copy, size) == 0);
  }
}

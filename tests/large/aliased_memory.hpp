// Memory of several GiB that takes a few MiB: nearly all of its chunks alias the same one. The
// chunks around its ends, 2^31 and 2^32 are separate, so that marks there show whether every byte
// is in its place.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace large {

inline constexpr std::size_t chunk = std::size_t{2} << 20;
inline constexpr std::size_t two_to_31 = std::size_t{1} << 31;
inline constexpr std::size_t two_to_32 = std::size_t{1} << 32;

class aliased_memory {
 public:
  // One byte more than `bytes` is accessible.
  explicit aliased_memory(std::size_t bytes) : size_((bytes / chunk + 1) * chunk) {
    const std::array own = {std::size_t{0},        two_to_31 / chunk - 1, two_to_31 / chunk,
                            two_to_32 / chunk - 1, two_to_32 / chunk,     size_ / chunk - 1};
    const int file = ::memfd_create("large", MFD_CLOEXEC);
    must(file >= 0 && ::ftruncate(file, static_cast<off_t>((own.size() + 1) * chunk)) == 0);
    void* const room =
        ::mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(room != MAP_FAILED);
    at_ = static_cast<std::byte*>(room);
    for (std::size_t i = 0; i < size_ / chunk; ++i) {
      const auto which =
          static_cast<std::size_t>(std::find(own.begin(), own.end(), i) - own.begin());
      must(::mmap(at_ + i * chunk, chunk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                  static_cast<off_t>(which * chunk)) != MAP_FAILED);
    }
    ::close(file);
  }
  ~aliased_memory() { ::munmap(at_, size_); }
  aliased_memory(const aliased_memory&) = delete;
  aliased_memory& operator=(const aliased_memory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return at_; }

 private:
  static void must(bool good) {
    if (good) return;
    std::perror("memory for a large transfer");
    std::exit(1);
  }

  std::size_t size_;
  std::byte* at_ = nullptr;
};

// Calls f(offset) for the bytes around the ends and the powers of two, and for the one behind the
// end.
template <class F>
void each_mark(std::size_t bytes, F&& f) {
  constexpr std::size_t near = 40;
  for (const std::size_t middle : {std::size_t{0}, two_to_31, two_to_32, bytes})
    for (std::size_t at = middle - std::min(middle, near); at < std::min(middle + near, bytes);
         ++at)
      f(at);
}

inline std::byte mark_at(std::size_t at, std::uint64_t number) noexcept {
  return static_cast<std::byte>(at * 31 + (at >> 29) * 7 + number * 101 + 1);
}
inline void mark(std::byte* memory, std::size_t bytes, std::uint64_t number) {
  each_mark(bytes, [&](std::size_t at) { memory[at] = mark_at(at, number); });
  memory[bytes] = ~mark_at(bytes, number);
}
// `behind`: the previous number, whose mark is behind the end.
inline std::size_t count_wrong(const std::byte* memory, std::size_t bytes, std::uint64_t number,
                               std::uint64_t behind) {
  std::size_t wrong = memory[bytes] != ~mark_at(bytes, behind);
  each_mark(bytes, [&](std::size_t at) { wrong += memory[at] != mark_at(at, number); });
  return wrong;
}

}  // namespace large

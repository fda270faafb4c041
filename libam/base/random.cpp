#include <libam/base/random.hpp>

#include <sys/random.h>
#include <unistd.h>

#include <chrono>

namespace am::detail::base {

std::uint64_t random_word() noexcept {
  std::uint64_t word = 0;
  if (::getrandom(&word, sizeof word, GRND_NONBLOCK) != sizeof word)
    word = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
           static_cast<std::uint64_t>(::getpid()) << 40;
  return word;
}

bool fill_with_secret(std::span<std::byte> room) noexcept {
  return ::getrandom(room.data(), room.size(), 0) == static_cast<ssize_t>(room.size());
}

}  // namespace am::detail::base

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

}  // namespace am::detail::base

#include "watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

namespace am_test {
namespace {

std::atomic<const char*> watched{""};

void hung(int) {
  const auto print = [](const char* text) { (void)!::write(2, text, std::strlen(text)); };
  print("watchdog: hung in: ");
  print(watched.load());
  print("\n");
  ::_exit(3);
}

}  // namespace

void feed_watchdog(unsigned seconds, const char* what) noexcept {
  watched.store(what);
  struct sigaction action {};
  action.sa_handler = hung;
  ::sigaction(SIGALRM, &action, nullptr);
  ::alarm(seconds * slowness());
}

unsigned slowness() noexcept {
#if defined(__SANITIZE_THREAD__)
  return 10;
#elif defined(__SANITIZE_ADDRESS__)
  return 4;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return 10;
#elif __has_feature(address_sanitizer)
  return 4;
#else
  return 1;
#endif
#else
  return 1;
#endif
}

}  // namespace am_test

// One write for each line, so that lines of many ranks on one terminal stay whole.
#include <libam/base/log.hpp>

#include <libam/base/text.hpp>

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <span>

namespace am::detail::base {
namespace {

// Atomic because threads of the program may be inside different endpoints or none.
std::atomic<log_level> limit{log_level::warn};
std::atomic<am_rank> rank_shown{no_rank};

constexpr const char* level_names[] = {"none", "error", "warn", "info", "debug"};

}  // namespace

void set_log(log_level level, am_rank rank) noexcept {
  limit.store(level, std::memory_order_relaxed);
  rank_shown.store(rank, std::memory_order_relaxed);
}

log_level log_limit() noexcept { return limit.load(std::memory_order_relaxed); }

void log_line(log_level level, std::string_view text) noexcept {
  const am_rank rank = rank_shown.load(std::memory_order_relaxed);
  const char* const name = level_names[static_cast<int>(level)];
  char before[32];
  const int length =
      rank == no_rank
          ? std::snprintf(before, sizeof before, "am: %s: ", name)
          : std::snprintf(before, sizeof before, "am[%u]: %s: ", static_cast<unsigned>(rank), name);
  char room[4096];
  const std::span message(room, text.copy(room, fitting_prefix(text, sizeof room)));
  make_one_line(message);
  char end[] = "\n";
  const iovec line[] = {
      {before, static_cast<std::size_t>(length)}, {message.data(), message.size()}, {end, 1}};
  // An error of standard error cannot be reported.
  [[maybe_unused]] const auto written = ::writev(STDERR_FILENO, line, 3);
}

}  // namespace am::detail::base

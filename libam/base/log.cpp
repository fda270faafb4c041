// One line, one write: lines of many ranks on one terminal stay whole.
#include <libam/base/log.hpp>

#include <unistd.h>

#include <atomic>
#include <iterator>
#include <string>

namespace am::detail::base {
namespace {

// Atomic because threads of the program may be inside different endpoints or none.
std::atomic<log_level> limit{log_level::warn};
std::atomic<am_rank> rank_shown{no_rank};

constexpr std::string_view level_names[] = {"none", "error", "warn", "info", "debug"};

}  // namespace

void set_log(log_level level, am_rank rank) noexcept {
  limit.store(level, std::memory_order_relaxed);
  rank_shown.store(rank, std::memory_order_relaxed);
}

log_level log_limit() noexcept { return limit.load(std::memory_order_relaxed); }

void log_line(log_level level, std::string_view text) noexcept {
  const am_rank rank = rank_shown.load(std::memory_order_relaxed);
  const std::string_view name = level_names[static_cast<int>(level)];
  fmt::memory_buffer line;
  if (rank == no_rank) {
    fmt::format_to(std::back_inserter(line), "am: {}: {}\n", name, text);
  } else {
    fmt::format_to(std::back_inserter(line), "am[{}]: {}: {}\n", rank, name, text);
  }
  // Nobody is left to be told that standard error does not take it.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace am::detail::base

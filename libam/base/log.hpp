// The log on standard error: "am[RANK]: level: text", for the levels that AM_LOG allows.
#pragma once

#include <libam/base/format.hpp>

#include <am/types.h>

#include <string_view>

namespace am::detail::base {

enum class log_level { none, error, warn, info, debug };

// For a process that is no rank: "am: level: text".
inline constexpr am_rank no_rank = ~am_rank{0};

// Set once by the join.
void set_log(log_level level, am_rank rank) noexcept;
log_level log_limit() noexcept;

// Writes one whole line with one write.
void log_line(log_level level, std::string_view text) noexcept;

template <class... Values>
void log(log_level level, fmt::format_string<Values...> format, Values&&... values) {
  if (level <= log_limit()) log_line(level, base::format(format, std::forward<Values>(values)...));
}

}  // namespace am::detail::base

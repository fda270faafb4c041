// How a call fails: it leaves one line for am_error_text() and returns its status.
#pragma once

#include <am/types.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace am::detail::base {

// "argument(rank)" and so on.
const char* status_text(am_status status) noexcept;

// The calling thread's line.
const char* error_text() noexcept;

// Records the line and returns `status`.
[[gnu::cold]] am_status fail_with(am_status status, std::string_view line) noexcept;

template <class... Values>
[[gnu::cold]] am_status fail(am_status status, fmt::format_string<Values...> format,
                             Values&&... values) {
  return fail_with(status, fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace am::detail::base

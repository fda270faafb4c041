// How a call fails: it leaves one line for am_error_text() and returns its status.
#pragma once

#include <libam/base/format.hpp>

#include <am/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace am::detail::base {

// "argument(rank)" and so on.
const char* status_text(am_status status) noexcept;

// The calling thread's line.
const char* error_text() noexcept;

// Where the calling thread's line stands: room for line_bytes. A module has this file once more; it
// keeps its lines where libam does, or nobody would read them.
inline constexpr std::size_t line_bytes = 512;
using thread_line = char*() noexcept;
thread_line line_of_thread;
void keep_lines_in(thread_line* there) noexcept;

// Records the line and returns `status`.
[[gnu::cold]] am_status fail_with(am_status status, std::string_view line) noexcept;
[[gnu::cold]] am_status fail_formatted(am_status status, fmt::string_view format,
                                       fmt::format_args values) noexcept;

// No call throws because of its error.
template <class... Values>
[[gnu::cold]] am_status fail(am_status status, fmt::format_string<Values...> format,
                             Values&&... values) noexcept {
  return fail_formatted(status, format, fmt::make_format_args(values...));
}

}  // namespace am::detail::base

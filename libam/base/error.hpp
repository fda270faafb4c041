// A call that fails leaves one line for am_error_text() and returns its status.
#pragma once

#include <libam/base/format.hpp>

#include <am/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace am::detail::base {

// "argument(rank)" and so on.
const char* status_text(am_status status) noexcept;

// The error text of the calling thread.
const char* error_text() noexcept;

// The buffer for the calling thread's text, of error_line_bytes. A module has its own copy of
// this file, and must use libam's buffers: the program reads those.
inline constexpr std::size_t error_line_bytes = 512;
using error_buffer_fn = char*() noexcept;
error_buffer_fn thread_error_buffer;
void use_error_buffer(error_buffer_fn* there) noexcept;

// Stores the line and returns `status`.
[[gnu::cold]] am_status fail_with(am_status status, std::string_view line) noexcept;
[[gnu::cold]] am_status fail_formatted(am_status status, fmt::string_view format,
                                       fmt::format_args values) noexcept;

// Does not throw: if the text cannot be allocated, the line says so instead.
template <class... Values>
[[gnu::cold]] am_status fail(am_status status, fmt::format_string<Values...> format,
                             Values&&... values) noexcept {
  return fail_formatted(status, format, fmt::make_format_args(values...));
}

// strerror; where descriptors have run out, also how many may be open and how to raise the limit.
std::string errno_text(int error);

}  // namespace am::detail::base

// A peer has written to shared memory what no libam writes. What else it has written is unknown, so
// the job ends, with one line that says what was found and which rank wrote it.
#pragma once

#include <libam/seam/boot.hpp>

#include <fmt/core.h>

namespace am::detail::shm {

[[noreturn, gnu::cold]] void report_violation_formatted(seam::boot& job, am_rank peer,
                                                        fmt::string_view format,
                                                        fmt::format_args values) noexcept;

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void report_violation(seam::boot& job, am_rank peer,
                                                             fmt::format_string<Values...> format,
                                                             Values... values) noexcept {
  report_violation_formatted(job, peer, format, fmt::make_format_args(values...));
}

}  // namespace am::detail::shm

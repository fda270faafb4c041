// A neighbour has written what no libam writes. It cannot be told what else is wrong, so the job
// ends, with one line that says what was found and in whose memory it stood.
#pragma once

#include <libam/seam/boot.hpp>

#include <fmt/core.h>

namespace am::detail::shm {

[[noreturn, gnu::cold]] void accuse_formatted(seam::boot& job, am_rank peer,
                                              fmt::string_view format,
                                              fmt::format_args values) noexcept;

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void accuse(seam::boot& job, am_rank peer,
                                                   fmt::format_string<Values...> format,
                                                   Values... values) noexcept {
  accuse_formatted(job, peer, format, fmt::make_format_args(values...));
}

}  // namespace am::detail::shm

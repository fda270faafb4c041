// The version of this build: "0.1.0 (git abc1234)".
#pragma once

#include <am/types.h>

#include <string>
#include <string_view>

namespace am::detail::base {

// Defined in build.cpp, so that only that file is compiled again when the commit changes.
std::string_view build_version() noexcept;

// Why this rank does not join, in one line: that rank is of another build. `theirs` may be any
// bytes.
std::string other_build_text(am_rank rank, std::string_view theirs);

}  // namespace am::detail::base

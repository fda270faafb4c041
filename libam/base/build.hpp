// The version of this build: "0.1.0 (git abc1234)".
#pragma once

#include <string_view>

namespace am::detail::base {

// Defined in build.cpp, so that only that file is compiled again when the commit changes.
std::string_view build_version() noexcept;

}  // namespace am::detail::base

// Which build this is: "0.1.0 (git abc1234)".
#pragma once

#include <string_view>

namespace am::detail::base {

// Read where it stands, and compiled into no comparison.
std::string_view build() noexcept;

}  // namespace am::detail::base

// A number that nobody can guess, or that at least is another one each time.
#pragma once

#include <cstdint>

namespace am::detail::base {

std::uint64_t random_word() noexcept;

}  // namespace am::detail::base

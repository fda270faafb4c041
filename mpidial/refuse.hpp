// How a process of a dialled program reports what it cannot do: in one line, and it ends the job.
#pragma once

#include <string_view>

namespace am::detail::mpidial {

// One line on standard error.
void say(std::string_view text) noexcept;
// Ends the whole job, by MPI, which has started.
[[noreturn]] void give_up(std::string_view text) noexcept;

}  // namespace am::detail::mpidial

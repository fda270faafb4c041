// libam's own handlers, by which bulk data goes in messages where no transport reaches the other
// side's memory: see bulk.hpp. They are numbered like all others.
#pragma once

#include <am/am.h>

namespace am::detail::core {

extern am_handler piece_handler;
extern am_handler store_handler;
extern am_handler get_handler;
extern am_handler got_handler;
extern am_handler get_failed_handler;
extern am_handler atomic_handler;
extern am_handler atomic_done_handler;
extern am_handler atomic_failed_handler;

// Answers with room (answers.cpp): none at all, and bytes for an address of this rank.
extern am_handler no_answer_handler;
extern am_handler stored_answer_handler;

}  // namespace am::detail::core

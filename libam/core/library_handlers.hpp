// libam's own handlers. They are numbered like all others.
#pragma once

#include <am/am.h>

#include <cstddef>

namespace am::detail::core {

class endpoint;

// Bulk data in messages, where no transport reaches the other side's memory (bulk.hpp).
extern am_handler piece_handler;
extern am_handler store_handler;
extern am_handler get_handler;
extern am_handler got_handler;
extern am_handler get_failed_handler;
extern am_handler atomic_handler;
extern am_handler atomic_done_handler;
extern am_handler atomic_failed_handler;

// Answers with room (data_answers.cpp): none at all, and bytes for an address of the requester.
extern am_handler no_answer_handler;
extern am_handler stored_answer_handler;

// Pings between the hosts of a traced job (host_clocks.hpp), and their answers.
extern am_handler clock_ping_handler;
extern am_handler clock_pong_handler;

// Writes the bytes of such an answer; then the handler in its header runs.
void handle_stored_answer(endpoint& ep, am_token token, const am_word* words, const void* data,
                          std::size_t bytes) noexcept;

// The collectives of team.h (team_handlers.cpp): the handlers of a team of am/team.hpp, but with
// names, so that ranks that run different files have them in common.
extern am_handler team_small_handler;
extern am_handler team_piece_handler;

}  // namespace am::detail::core

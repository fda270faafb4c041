// The handlers of the collectives of team.h (face/team.cpp). They have names, so that ranks of
// different files have them in common; otherwise they are those that each team of am/team.hpp has.
#pragma once

#include <am/am.h>

namespace am::detail::core {

extern am_handler team_few_handler;
extern am_handler team_piece_handler;

}  // namespace am::detail::core

/* The collectives of am/team.h, as C calls them: how many things were not as expected. */
#ifndef LIBAM_TESTS_C_TEAM_H
#define LIBAM_TESTS_C_TEAM_H

#include <am/am.h>

unsigned try_collectives(am_ep* ep);

#endif

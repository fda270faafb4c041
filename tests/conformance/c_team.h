/* The collectives of am/team.h from C; returns the number of failures. */
#ifndef LIBAM_TESTS_C_TEAM_H
#define LIBAM_TESTS_C_TEAM_H

#include <am/am.h>

unsigned try_collectives(am_ep* ep);

#endif

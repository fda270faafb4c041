/** @file
 * Parts of a program in its trace: with AM_TRACE=DIR they are there beside messages and waits.
 *
 *     uint64_t begin = am_trace_begin();
 *     relax(grid);
 *     am_trace_end(begin, "relax");
 *
 * Without AM_TRACE a call reads one flag. In C++ am/trace.hpp has this as an object.
 */
#ifndef AM_TRACE_H
#define AM_TRACE_H

#include <am/am.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The time, for am_trace_end. 0: nothing is traced. By the thread that owns the endpoint, also in
 * handlers; on other threads it is 0. */
AM_API uint64_t am_trace_begin(void);

/** Records what began there and ends now. Does nothing if `begin` is 0 or `name` is NULL. A program
 * has at most 4096 names, which are copied. */
AM_API void am_trace_end(uint64_t begin, const char* name);

/** The same for a collective call, with this rank's bytes. Those of am/team.hpp and am/team.h
 * record themselves; it is for collectives that a program makes of messages. */
AM_API void am_trace_end_collective(uint64_t begin, const char* name, uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif

/* A dial for g_s: a window that starts with one message in a round trip and doubles with each round
 * trip, as that of TCP does.
 *
 *   AM_DIAL=g_s=+@./slow_start.so am-run -n 2 ./prog
 *
 * A window of w messages leaves a gap of the round trip by w between two of them. After a pause it
 * starts anew.
 */
#include <am/dial.h>

enum { round_trip = 20 * 1000, longest_pause = 10 * round_trip, widest = 1024 }; /* ns */

int64_t am_dial(const struct am_dial_message* message) {
  uint64_t* window = &message->state[0];
  uint64_t* sent = &message->state[1]; /* of this window */
  if (message->since_last < 0 || message->since_last > longest_pause) {
    *window = 1;
    *sent = 0;
  }
  const uint64_t gap = round_trip / *window;
  if (++*sent >= *window && *window < widest) {
    *window *= 2;
    *sent = 0;
  }
  return (int64_t)gap;
}

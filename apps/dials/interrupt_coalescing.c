/* A dial for L: the receiver's network card raises one interrupt for all messages of 50 us that
 * come from the same sender.
 *
 *   AM_DIAL=L=+@./interrupt_coalescing.so am-run -n 2 ./prog
 *
 * The first message starts the time, and all that come until it is over are delivered at its end: a
 * lone message waits for the whole time, a stream for half of it on average.
 */
#include <am/dial.h>

enum { period = 50 * 1000 }; /* ns */

int64_t am_dial(const struct am_dial_message* message) {
  uint64_t* interrupt = &message->state[0]; /* the time of the next one */
  const uint64_t now = (uint64_t)message->now;
  if (now >= *interrupt) *interrupt = now + period;
  return (int64_t)(*interrupt - now);
}

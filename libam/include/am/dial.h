/** @file
 * A dial as a function: a shared object that AM_DIAL names ("L=+@./coalesce.so") says for each
 * message by how much longer it takes.
 *
 *     int64_t am_dial(const struct am_dial_message* message) {
 *       return 1000 + message->bytes / 8;  // nanoseconds
 *     }
 *
 * It is called for each message where the dial applies (of a get over shared memory L's alone is,
 * for the answer): of L and g_r by the receiver, of g_s and o_s by the sender, of o_r by the
 * receiver before the handler; by one thread at a time for each endpoint. It must neither wait nor
 * call libam. What is negative counts as 0.
 */
#ifndef AM_DIAL_H
#define AM_DIAL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a function of AM_DIAL learns of a message. */
struct am_dial_message {
  uint64_t bytes;     /**< of its payload */
  uint64_t number;    /**< among those of this dial from `from` to `to`, from 0 */
  int64_t now;        /**< ns: of L when it leaves its sender, otherwise when the dial applies */
  int64_t since_last; /**< ns since the message before it; -1: there is none */
  uint32_t from;      /**< the rank that sends it */
  uint32_t to;        /**< the rank that receives it */
  uint64_t* state;    /**< eight words of this dial and these two ranks, 0 at first */
};

/** Defined by the shared object: for how many ns longer the message takes. */
int64_t am_dial(const struct am_dial_message* message);

#ifdef __cplusplus
}
#endif

#endif

/** @file
 * Barrier, broadcast and all-reduce for C, over all ranks of an endpoint.
 *
 *     am_ep_broadcast(ep, 0, settings, sizeof settings);
 *     am_ep_all_reduce(ep, &residual, 1, AM_DOUBLE, AM_MAX);
 *     am_ep_barrier(ep);
 *
 * All ranks make the same ones of these calls, in the same order, with the same root, equal sizes
 * and the same operation. A call returns when this rank has done its part; only am_ep_barrier
 * promises that every rank has called it. While a call waits, it runs handlers. In a handler it is
 * AM_USAGE_IN_HANDLER. A call that is refused for an argument has sent nothing. If ranks turn out
 * to have made different calls, all calls at these ranks are AM_ARGUMENT_SIZE from then on. After
 * the death of a rank every call is AM_PEER_DEAD, or AM_PEER_LOST.
 *
 * They are the collectives of am/team.hpp, on a team of their own; a program may mix calls of both,
 * as long as ranks do not wait for each other in a cycle. docs/collectives.md has the cost of each
 * and how far a rank may run ahead. A program that makes none of these calls pays nothing. */
#ifndef AM_AM_TEAM_H
#define AM_AM_TEAM_H

#include <am/am.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the values of am_ep_all_reduce are, each of 8 bytes. */
typedef enum am_value_type {
  AM_INT64 = 0,  /**< int64_t */
  AM_UINT64 = 1, /**< uint64_t */
  AM_DOUBLE = 2  /**< double */
} am_value_type;

/** How am_ep_all_reduce combines two values. */
typedef enum am_reduce_op {
  AM_SUM = 0,     /**< added; integers modulo 2 to the 64 */
  AM_MIN = 1,     /**< the smaller one; of doubles by fmin, which ignores a NaN */
  AM_MAX = 2,     /**< the larger one; likewise */
  AM_BIT_AND = 3, /**< bit by bit; of integers alone, as are the next two */
  AM_BIT_OR = 4,  /**< bit by bit */
  AM_BIT_XOR = 5  /**< bit by bit */
} am_reduce_op;

/** Returns when every rank has called it. */
AM_API am_status am_ep_barrier(am_ep* ep);

/** Copies `bytes` at `data` of rank `root` to `data` of every rank. Blocks on the root, and on the
 *  ranks between, calling it. AM_ARGUMENT_RANK; AM_ARGUMENT_ADDRESS: bytes at NULL. */
AM_API am_status am_ep_broadcast(am_ep* ep, am_rank root, void* data, size_t bytes);

/** Combines the values of all ranks, `count` at each, element by element and in place: every rank
 *  has the result, the same to the last bit in every run. Blocks on all ranks calling it.
 *  AM_ARGUMENT_SIZE: no such type or operation, an operation that the type does not have, more
 *  values than there can be. AM_ARGUMENT_ADDRESS: values at NULL, or at no multiple of 8. */
AM_API am_status am_ep_all_reduce(am_ep* ep, void* values, size_t count, am_value_type type,
                                  am_reduce_op op);

/** For libraries, from everywhere: in teams of at most this many ranks the root of a broadcast of
 *  `bytes` sends to each rank itself; by AM_PROFILE, the same at all ranks. 0: in none. */
AM_API am_rank am_ep_flat_broadcast_ranks(am_ep* ep, size_t bytes);

/** The same of a barrier, in which each rank sends to each other. */
AM_API am_rank am_ep_direct_barrier_ranks(am_ep* ep);

#ifdef __cplusplus
}
#endif

#endif

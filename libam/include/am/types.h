/** @file
 * Words, ranks, statuses and limits, for every other header of libam.
 * Plain C11 and C++; includes no other header of libam. */
#ifndef AM_AM_TYPES_H
#define AM_AM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/** The version of these headers: before 1 a new minor number may be incompatible. am_version()
 *  returns the library's. @{ */
#define AM_VERSION_MAJOR 0
#define AM_VERSION_MINOR 1
#define AM_VERSION_PATCH 0
#define AM_VERSION_STRING "0.1.0"
/** @} */

#ifdef __cplusplus
extern "C" {
#endif

/** One argument of a message. */
typedef uint64_t am_word;

/** A process of the job, 0 to ranks - 1. */
typedef uint32_t am_rank;

enum {
  AM_WORDS = 4,            /**< words of a small message */
  AM_MIN_MAX_MEDIUM = 8192 /**< am_ep_max_medium() is never less, on any transport */
};

/** What kind of error a status is, from the smallest thing to be redone (the call) to the
 *  largest (the endpoint). `am_status_reason` returns it. */
typedef enum am_reason {
  AM_REASON_NONE = 0,     /**< no error */
  AM_REASON_AGAIN = 1,    /**< nothing happened; poll and call again */
  AM_REASON_USAGE = 2,    /**< the call is not allowed here */
  AM_REASON_ARGUMENT = 3, /**< an argument is bad */
  AM_REASON_PEER = 4,     /**< the other rank is unreachable */
  AM_REASON_RESOURCE = 5, /**< the machine has run out of something */
  AM_REASON_ENDPOINT = 6  /**< this endpoint is no longer usable */
} am_reason;

/* Headers of other libraries have a macro AM_OK, which is restored after this header: where it is
 * not 0, compare with am_status(0), or with status::ok() in C++. */
#pragma push_macro("AM_OK")
#undef AM_OK
/** What a call returns: AM_OK or a reason with its cause. The low byte is the cause, the rest
 *  the reason. docs/errors.md has for each what happened and what to do. No call returns those
 *  marked "later" yet. */
typedef enum am_status {
  AM_OK = 0,                       /**< done */
  AM_AGAIN_CREDIT = 0x101,         /**< no credit: the most requests to that rank are in flight */
  AM_AGAIN_PAYLOAD = 0x102,        /**< no room for that many bytes just now */
  AM_AGAIN_CONNECTING = 0x103,     /**< first contact over ucx is under way */
  AM_AGAIN_QUEUE = 0x104,          /**< too many posted functions, or requests for later, wait */
  AM_AGAIN_TIME = 0x105,           /**< wait_for: the time is over */
  AM_USAGE_IN_HANDLER = 0x201,     /**< a call inside a handler that may not make it */
  AM_USAGE_REPLIED = 0x202,        /**< a second reply, or a token kept too long */
  AM_USAGE_OTHER_THREAD = 0x203,   /**< a thread that does not own the endpoint */
  AM_USAGE_LEFT = 0x204,           /**< the endpoint has left its job, or is NULL */
  AM_USAGE_FORKED = 0x205,         /**< this is the child of a fork */
  AM_ARGUMENT_RANK = 0x301,        /**< no rank of this job */
  AM_ARGUMENT_HANDLER = 0x302,     /**< no handler, one without a number, two of one name */
  AM_ARGUMENT_SIZE = 0x303,        /**< too many bytes, or too little room for them */
  AM_ARGUMENT_ADDRESS = 0x304,     /**< nothing is mapped there */
  AM_ARGUMENT_SEGMENT = 0x305,     /**< later */
  AM_ARGUMENT_SETTING = 0x306,     /**< a bad AM_* variable; a key that was not put */
  AM_PEER_DEAD = 0x401,            /**< that rank has died, and this job goes on without it */
  AM_PEER_LOST = 0x402,            /**< the connection to am-run or to that rank is lost */
  AM_PEER_REFUSED = 0x403,         /**< later */
  AM_PEER_UNREACHABLE = 0x404,     /**< no transport reaches that rank, or the join failed */
  AM_RESOURCE_MEMORY = 0x501,      /**< out of memory */
  AM_RESOURCE_DESCRIPTORS = 0x502, /**< out of file descriptors */
  AM_RESOURCE_SPACE = 0x503,       /**< out of shared memory */
  AM_ENDPOINT_CLOSED = 0x601,      /**< later */
  AM_ENDPOINT_CORRUPT = 0x602      /**< a failure inside libam without a status of its own */
} am_status;
#pragma pop_macro("AM_OK")

/** What am_ep_atomic does to a word. */
typedef enum am_atomic_op {
  AM_FETCH_ADD = 0,   /**< adds to it */
  AM_EXCHANGE = 1,    /**< puts a word in its place */
  AM_COMPARE_SWAP = 2 /**< puts a word in its place if it is as expected */
} am_atomic_op;

/** The reason of a status, for a program that acts on kinds of errors. */
static inline am_reason am_status_reason(am_status status) {
  return (am_reason)((unsigned)status >> 8);
}

#ifdef __cplusplus
}
#endif

#endif

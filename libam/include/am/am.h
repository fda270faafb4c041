/** @file
 * libam for C, and the stable ABI under every other language.
 *
 * A message names the function that handles it. A request runs its handler at another rank; the
 * handler may answer once, with a reply whose handler runs at the requester. Nothing runs at a
 * rank that does not call libam: handlers run inside am_ep_poll, am_ep_wait and every other call
 * that docs/semantics.md marks so.
 *
 * Every call that can fail returns am_status: AM_OK, or a reason, and then am_error_text() has the
 * line that says what was wrong and what to do. A call whose comment says that it blocks runs
 * handlers meanwhile; all others return at once. An am_ep belongs to one thread at a time. A call
 * that is not allowed where it is made is AM_USAGE_IN_HANDLER, AM_USAGE_OTHER_THREAD, AM_USAGE_LEFT
 * or AM_USAGE_FORKED. docs/semantics.md has a table of all this, docs/errors.md every status. */
#ifndef AM_AM_H
#define AM_AM_H

#include <am/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks each function that libam exports. */
#define AM_API __attribute__((visibility("default")))
/** Marks those that do not return. */
#define AM_NORETURN __attribute__((noreturn))

/** An endpoint: this process's place in a job. */
typedef struct am_ep am_ep;

/** The right to answer the message whose handler runs. It is valid until the handler returns; a
 *  stale one is refused. */
typedef struct am_token {
  am_ep* ep;       /**< the endpoint that runs the handler */
  uint64_t serial; /**< of the message, to recognize a stale token */
} am_token;

/** A handler. `words` are the AM_WORDS words of the message; `data` and `bytes` its payload
 *  (NULL and 0 in a small message). Both are valid while the handler runs. */
typedef void am_handler_fn(am_token token, const am_word* words, const void* data, size_t bytes);

/** A registered handler. Made by AM_HANDLER; the members belong to libam. */
typedef struct am_handler {
  am_handler_fn* fn;       /**< what runs */
  const char* name;        /**< the same at all ranks; NULL: its place in its file identifies it */
  const char* label;       /**< its name in messages to users */
  struct am_handler* next; /**< libam's list */
  uint32_t id;             /**< its number in this job; AM_HANDLER_UNNUMBERED before a join */
  uint32_t flags;          /**< AM_HANDLER_OF_LIBRARY, or 0; other bits are reserved */
} am_handler;

enum {
  AM_HANDLER_UNNUMBERED = 0xffffffffu >> 1, /**< the id of a handler before a join */
  /** Of a library over this interface: messages to it that cannot be delivered are not reported to
   *  the program, and bulk data that has failed ends in it with `data` NULL. */
  AM_HANDLER_OF_LIBRARY = 1
};

/** Registers a handler, before the join or before am_ep_update_handlers. AM_HANDLER calls it. */
AM_API void am_handler_register(am_handler* handler);
/** Unregisters it, from the next join or am_ep_update_handlers on. */
AM_API void am_handler_unregister(am_handler* handler);

/** At file scope: makes function `fn` a handler that all ranks call `name`, with flags. */
#define AM_C_HANDLER_WITH(fn_, name_, flags_)                         \
  static am_handler am_handler_of_##fn_ = {                           \
      fn_, name_, name_, NULL, AM_HANDLER_UNNUMBERED, flags_};        \
  __attribute__((constructor)) static void am_register_##fn_(void) {  \
    am_handler_register(&am_handler_of_##fn_);                        \
  }                                                                   \
  __attribute__((destructor)) static void am_unregister_##fn_(void) { \
    am_handler_unregister(&am_handler_of_##fn_);                      \
  }                                                                   \
  struct am_handler_of_##fn_##_is_made
/** The same without flags. */
#define AM_C_HANDLER(fn_, name_) AM_C_HANDLER_WITH(fn_, name_, 0)
/** The same as AM_C_HANDLER; am.hpp has its own. */
#define AM_HANDLER(fn_, name_) AM_C_HANDLER(fn_, name_)

/** The handler that AM_HANDLER made of `fn`, for am_ep_request and am_token_reply. */
#define AM_H(fn_) (&am_handler_of_##fn_)

/* ---- joining and leaving -------------------------------------------------------------------- */

/** Joins the job that this process was started in (am-run, …), or a job of one. Blocks on all
 *  ranks joining, without running handlers. Then the calling thread owns the new `*ep`. Otherwise
 *  AM_ARGUMENT_SETTING for a bad AM_* variable, AM_ARGUMENT_HANDLER for two handlers of one name,
 *  AM_PEER_LOST, AM_PEER_UNREACHABLE, AM_RESOURCE_… for what the machine lacks. */
AM_API am_status am_join(int* argc, char*** argv, am_ep** ep);

/** Leaves: collective. Blocks until every rank has called it and no request is unanswered;
 *  afterwards `ep` is invalid. AM_PEER_LOST: the connection to am-run is lost. */
AM_API am_status am_ep_close(am_ep* ep);

/** Ends the whole job at once, with this exit status: it does not return. One outside 0 to 255
 *  becomes 255. */
AM_API AM_NORETURN void am_ep_abort(am_ep* ep, int status);

/** Frees `ep`, for a process that cannot wait for the others: to them this rank has died. */
AM_API void am_ep_abandon(am_ep* ep);

/** Makes the calling thread the owner; no other thread may be inside a call. */
AM_API am_status am_ep_adopt(am_ep* ep);

/** This process's place in the job: 0 to am_ep_ranks() - 1. */
AM_API am_rank am_ep_rank(const am_ep* ep);
/** How many processes the job has. */
AM_API am_rank am_ep_ranks(const am_ep* ep);

/** 1: AM_PROGRESS=thread, for libraries that can run an endpoint in a thread of theirs; or 0. */
AM_API int am_ep_wants_thread(const am_ep* ep);

/** The host of `rank`, as the lowest rank that it can share memory with; else the number itself. */
AM_API am_rank am_ep_host_of(const am_ep* ep, am_rank rank);

/** The most bytes of payload of a medium message in this job, at least AM_MIN_MAX_MEDIUM. */
AM_API size_t am_ep_max_medium(const am_ep* ep);

/** One pointer of the caller's, which handlers get by their token. */
AM_API void am_ep_set_context(am_ep* ep, void* context);
/** That pointer; NULL at first. */
AM_API void* am_ep_context(const am_ep* ep);

/** Numbers the handlers anew after a dlopen: collective. Blocks on all ranks calling it; those
 *  numbered before keep their numbers. AM_ARGUMENT_HANDLER: two of one name. */
AM_API am_status am_ep_update_handlers(am_ep* ep);

/* ---- messages ------------------------------------------------------------------------------- */

/** Sends four words to a handler at rank `to`. Blocks on a credit if there is none. AM_OK:
 *  accepted; over tcp and ucx it leaves with the next poll, wait or flush at the latest. Only a
 *  reply shows that it has run. AM_ARGUMENT_RANK, AM_ARGUMENT_HANDLER, at first contact
 *  AM_PEER_UNREACHABLE: nothing was sent. */
AM_API am_status am_ep_request(am_ep* ep, am_rank to, const am_handler* handler, am_word w0,
                               am_word w1, am_word w2, am_word w3);

/** The same with `bytes` of payload, at most am_ep_max_medium() (more is AM_ARGUMENT_SIZE). Blocks
 *  on room for it, too. `data` may be reused on return. */
AM_API am_status am_ep_request_medium(am_ep* ep, am_rank to, const am_handler* handler,
                                      const void* data, size_t bytes, am_word w0, am_word w1,
                                      am_word w2, am_word w3);

/** As am_ep_request, but never waits and runs no handler: AM_AGAIN_CREDIT and, at first contact
 *  over ucx, AM_AGAIN_CONNECTING mean that nothing happened; poll, then call again. */
AM_API am_status am_ep_try_request(am_ep* ep, am_rank to, const am_handler* handler, am_word w0,
                                   am_word w1, am_word w2, am_word w3);
/** The same with a payload; no room for it is AM_AGAIN_PAYLOAD. */
AM_API am_status am_ep_try_request_medium(am_ep* ep, am_rank to, const am_handler* handler,
                                          const void* data, size_t bytes, am_word w0, am_word w1,
                                          am_word w2, am_word w3);

/** The same with room for an answer of `reply_room` bytes, at most am_ep_max_medium(), for
 *  am_token_reply_medium and am_token_reply_store. Blocks on that room, too; every answer returns
 *  it, and so does the end of a handler that has not answered. `data` NULL: no payload. */
AM_API am_status am_ep_request_with_room(am_ep* ep, am_rank to, const am_handler* handler,
                                         const void* data, size_t bytes, size_t reply_room,
                                         am_word w0, am_word w1, am_word w2, am_word w3);
/** As am_ep_try_request_medium; no room for the answer is AM_AGAIN_PAYLOAD, too. */
AM_API am_status am_ep_try_request_with_room(am_ep* ep, am_rank to, const am_handler* handler,
                                             const void* data, size_t bytes, size_t reply_room,
                                             am_word w0, am_word w1, am_word w2, am_word w3);

/** The one request that a handler may make; other code may make it, too. It is kept, and sent by
 *  the next poll, or by the next call that polls; if there is no credit then, by a later one. Those
 *  to one rank are sent in their order. Never waits; up to 64 that wait allocate no memory.
 *  AM_AGAIN_QUEUE: 4096 wait already, and nothing happened. One that cannot be sent goes to the
 *  function of am_ep_on_undeliverable. */
AM_API am_status am_ep_later(am_ep* ep, am_rank to, const am_handler* handler, am_word w0,
                             am_word w1, am_word w2, am_word w3);

/* ---- bulk data ------------------------------------------------------------------------------- */

/** Copies `bytes` from `data` to `where` at rank `to`; then the handler runs there, after all
 *  requests sent before. Blocks on credits and, where bytes go in messages, on room for them; over
 *  tcp and ucx also until the system or UCX has taken them. `data` may be reused on return.
 *
 *  Of all calls for bulk data: any address of the other rank is legal; a segment there is the fast
 *  path. The handler of a store and the one that ends a get find the bytes at `data` (cast away its
 *  const to change them), in the memory of the rank that they run at. Handlers named `done` run at
 *  the caller, from its next poll on and never inside the call, with the rights of a reply handler.
 *  An address that is not mapped is AM_ARGUMENT_ADDRESS: as the call's status, or, where the data
 *  went in messages, in the function of am_ep_on_undeliverable. */
AM_API am_status am_ep_store(am_ep* ep, am_rank to, void* where, const void* data, size_t bytes,
                             const am_handler* handler, am_word w0, am_word w1, am_word w2,
                             am_word w3);

/** The same for at most am_ep_max_medium() bytes (more is AM_ARGUMENT_SIZE), but never waits and
 *  runs no handler: AM_AGAIN_CREDIT, AM_AGAIN_PAYLOAD and, at first contact over ucx,
 *  AM_AGAIN_CONNECTING mean that nothing happened. */
AM_API am_status am_ep_try_store(am_ep* ep, am_rank to, void* where, const void* data, size_t bytes,
                                 const am_handler* handler, am_word w0, am_word w1, am_word w2,
                                 am_word w3);

/** As am_ep_store, but returns at once, and waits in a queue if it cannot begin. `data` is libam's
 *  until done(context, …) has run. */
AM_API am_status am_ep_store_async(am_ep* ep, am_rank to, void* where, const void* data,
                                   size_t bytes, const am_handler* handler, am_word w0, am_word w1,
                                   am_word w2, am_word w3, const am_handler* done, am_word context);

/** Copies `bytes` from `where` at rank `from` to `to` here; then done(w0, w1, w2, w3) runs with
 *  them. Until then `to` belongs to libam. Returns at once; any number may be in flight. */
AM_API am_status am_ep_get(am_ep* ep, am_rank from, const void* where, void* to, size_t bytes,
                           const am_handler* done, am_word w0, am_word w1, am_word w2, am_word w3);

/** Changes the word at `where` of rank `at` in one step: adds `operand`, puts it there, or puts it
 *  there if the word was `expected`. Then done(what it was before, w0, w1, w2) runs. Returns at
 *  once; any number may be in flight. AM_ARGUMENT_ADDRESS: `where` is no multiple of 8. */
AM_API am_status am_ep_atomic(am_ep* ep, am_rank at, am_word* where, am_atomic_op op,
                              am_word operand, am_word expected, const am_handler* done, am_word w0,
                              am_word w1, am_word w2);

/** Memory of this rank that others reach fastest. Zero at first. */
typedef struct am_seg am_seg;

/** Makes one here; others learn of it without a call. AM_ARGUMENT_SIZE: none of 0 bytes.
 *  AM_RESOURCE_SPACE, AM_RESOURCE_MEMORY: the machine has no room for it. */
AM_API am_status am_seg_create(am_ep* ep, size_t bytes, am_seg** seg);

/** Collective: makes one of `bytes` at every rank, and every rank has all addresses. Blocks on all
 *  ranks calling it. If one rank cannot, none has one, and every call fails. */
AM_API am_status am_seg_create_all(am_ep* ep, size_t bytes, am_seg** seg);

/** Its address here. */
AM_API void* am_seg_address(const am_seg* seg);
/** The address of that of `rank`; NULL if am_seg_create made it, here alone. */
AM_API void* am_seg_address_at(const am_seg* seg, am_rank rank);
/** How many bytes were requested. */
AM_API size_t am_seg_bytes(const am_seg* seg);

/** Frees it. No rank may use it any more; leaving the job frees the memory, too. In a forked child,
 *  or in a thread that does not own the endpoint, the memory stays until then. */
AM_API void am_seg_destroy(am_seg* seg);

/** Answers the request whose handler runs: once, never waits. AM_USAGE_REPLIED: the second time, or
 *  with a token kept beyond its handler. In a reply handler it is AM_USAGE_IN_HANDLER. */
AM_API am_status am_token_reply(am_token token, const am_handler* handler, am_word w0, am_word w1,
                                am_word w2, am_word w3);

/** The same with an address, which the reply handler gets as `data`; it is not checked. */
AM_API am_status am_token_reply_at(am_token token, const am_handler* handler, void* where,
                                   am_word w0, am_word w1, am_word w2, am_word w3);

/** Answers with `bytes` of payload, at most am_token_reply_room() (more is AM_ARGUMENT_SIZE). Once,
 *  never waits; `data` may be reused on return. Not AM_OK: nothing happened, and the handler may
 *  answer in another way. */
AM_API am_status am_token_reply_medium(am_token token, const am_handler* handler, const void* data,
                                       size_t bytes, am_word w0, am_word w1, am_word w2,
                                       am_word w3);

/** The same for bytes that go to `where` in the requester's memory, where the reply handler finds
 *  them at `data`. Any number, and without room, where this rank reaches that memory, as mostly
 *  over shm; otherwise at most am_token_reply_room(). AM_ARGUMENT_ADDRESS: nothing is mapped there;
 *  where the room carried the bytes, the requester's am_ep_on_undeliverable function gets it. */
AM_API am_status am_token_reply_store(am_token token, void* where, const void* data, size_t bytes,
                                      const am_handler* handler, am_word w0, am_word w1, am_word w2,
                                      am_word w3);

/** How many bytes the answer to the request that runs may have. 0: none, or it is answered. */
AM_API size_t am_token_reply_room(am_token token);

/** The rank that sent the message. */
AM_API am_rank am_token_source(am_token token);
/** The endpoint that runs the handler. */
AM_API am_ep* am_token_endpoint(am_token token);

/** A request that was returned to its sender: it did not run, or that is unknown. */
typedef struct am_returned {
  am_rank rank;            /**< its target */
  am_status reason;        /**< why it was returned */
  am_word words[AM_WORDS]; /**< what it carried */
  const char* handler;     /**< its label */
  int unknown;             /**< 0: it did not run. 1: it may have run */
} am_returned;

/** Gets a returned message; `arg` is that of am_ep_on_undeliverable. */
typedef void am_undeliverable_fn(am_token token, const am_returned* message, void* arg);

/** Sets the function for returned messages; it has the rights of a reply handler. Without one such
 *  a message ends the job, with a line that names it. */
AM_API void am_ep_on_undeliverable(am_ep* ep, am_undeliverable_fn* fn, void* arg);

/** Called when `rank` has died or is lost; `arg` is that of am_ep_on_peer_failure. */
typedef void am_peer_failure_fn(am_token token, am_rank rank, void* arg);

/** Sets the function for deaths and lost connections, with the rights of a reply handler. It runs
 *  once for each rank, after all that the rank had sent is handled and every unanswered request to
 * it is returned. Only where AM_ON_PEER_DEATH=callback; otherwise the job ends. docs/failure.md. */
AM_API void am_ep_on_peer_failure(am_ep* ep, am_peer_failure_fn* fn, void* arg);

/** How many ranks have died or are lost, as far as this one knows. am_ep_fence shows which. */
AM_API am_rank am_ep_deaths(const am_ep* ep);

/* ---- progress ------------------------------------------------------------------------------- */

/** Runs the handlers of at most `budget` messages (0: a number of the library's choice) that have
 *  come; `*ran`, if `ran` is not NULL, becomes how many. Never waits. */
AM_API am_status am_ep_poll(am_ep* ep, unsigned budget, unsigned* ran);

/** Polls until done(arg) is not 0; blocks on that alone, sleeping as AM_WAIT allows. `done` may
 *  make any call. */
AM_API am_status am_ep_wait(am_ep* ep, int (*done)(void* arg), void* arg);

/** The same, but no longer than `nanoseconds` (negative: 0): then AM_AGAIN_TIME. */
AM_API am_status am_ep_wait_for(am_ep* ep, int (*done)(void* arg), void* arg, int64_t nanoseconds);

/** As am_ep_poll, but if nothing has come it blocks until something has, sleeping as AM_WAIT
 *  allows, and no longer than `nanoseconds` (negative: 0; INT64_MAX: for ever): then AM_AGAIN_TIME.
 *  `*ran` is 0 if only a posted function has run. With a budget of 1 it returns after one message,
 *  before any other has run. */
AM_API am_status am_ep_wait_any(am_ep* ep, unsigned budget, int64_t nanoseconds, unsigned* ran);

/** Hands `fn(arg)` to the endpoint's owner, from any thread and from handlers; wakes it if it
 *  sleeps. It runs once: in am_ep_close, or in an am_ep_poll or a call that blocks, if that is
 *  outermost. It may make any call there, except a fence of all ranks inside another one.
 *  docs/semantics.md. AM_AGAIN_QUEUE, without effect: 1024 wait already. `fn` must not throw. */
AM_API am_status am_ep_post(am_ep* ep, void (*fn)(void* arg), void* arg);

/** A descriptor to wait on with poll, epoll and similar calls; not to be read, written or closed.
 *  The same one until the endpoint leaves; -1 after that, and in a forked child. */
AM_API int am_ep_fd(const am_ep* ep);

/** `*armed` = 1: the descriptor will become readable when there is something to poll for, or when
 *  a credit or room has come back. 0: something is there already; poll first. docs/waiting.md. */
AM_API am_status am_ep_arm(am_ep* ep, int* armed);

/* ---- counters, always on; AM_STATS writes them when a rank leaves: docs/counters.md ---- */

/** The traffic between this rank and another since the join. Messages that the library sends for a
 *  call (such as a piece of bulk data) count, too. */
typedef struct am_traffic {
  uint64_t requests;      /**< sent there: small, medium, and notices of stores */
  uint64_t mediums;       /**< of these, those with a payload */
  uint64_t medium_bytes;  /**< in them */
  uint64_t stores;        /**< stores of all kinds */
  uint64_t store_bytes;   /**< in them */
  uint64_t gets;          /**< gets from there */
  uint64_t get_bytes;     /**< in them */
  uint64_t atomics;       /**< atomic operations there */
  uint64_t answers;       /**< replies from there, ends of gets and atomics, returned requests */
  uint64_t handled;       /**< requests from there */
  uint64_t handled_bytes; /**< that came with them */
  uint64_t waits;         /**< calls that had to wait for a credit or for room */
  uint64_t answer_bytes;  /**< that came with answers, or were stored by them */
} am_traffic;

/** The same for all ranks together, and the number of polls. */
typedef struct am_stats {
  uint64_t polls;       /**< by am_ep_poll and by every call that waits */
  uint64_t empty_polls; /**< of these, those that delivered nothing */
  am_traffic all;       /**< with all ranks together; last, because am_traffic grows */
} am_stats;

/** The counters of this endpoint; `bytes` is sizeof(am_stats), which later versions make larger.
 *  Handlers may call these three. */
AM_API am_status am_ep_stats(const am_ep* ep, am_stats* stats, size_t bytes);
/** Those of `rank` alone; `bytes` is sizeof(am_traffic). AM_ARGUMENT_RANK. */
AM_API am_status am_ep_stats_with(const am_ep* ep, am_rank rank, am_traffic* traffic, size_t bytes);
/** How often `handler` has run here. AM_ARGUMENT_HANDLER. */
AM_API am_status am_ep_stats_of(const am_ep* ep, const am_handler* handler, uint64_t* runs);

/** Returns when all that was accepted so far is in flight. Blocks on bulk calls that wait to begin,
 *  and over tcp and ucx on peers taking it. */
AM_API am_status am_ep_flush(am_ep* ep);

/** Holds later requests to `rank` behind the bulk data sent there before: blocks until that rank
 *  has it. AM_ARGUMENT_RANK. AM_PEER_DEAD: it has died. AM_PEER_LOST: its connection is lost. */
AM_API am_status am_ep_fence(am_ep* ep, am_rank rank);

/* ---- the job's key store: small blobs, for initialization ------------------------------------ */

/** Publishes a blob under `key`, with the next am_job_fence. AM_ARGUMENT_SIZE: one is too large. */
AM_API am_status am_job_put(am_ep* ep, const char* key, const void* data, size_t bytes);

/** Collective: blocks until every rank has called it; then all blobs are published. */
AM_API am_status am_job_fence(am_ep* ep);

/** Copies the blob that `rank` published under `key`; `*bytes` is the room in and the size out.
 *  AM_ARGUMENT_SIZE: too little room. AM_ARGUMENT_SETTING: that rank has not published it. */
AM_API am_status am_job_get(am_ep* ep, am_rank rank, const char* key, void* data, size_t* bytes);

/* ---- texts for users ------------------------------------------------------------------------ */

/** A short text for a status: "argument(rank)". */
AM_API const char* am_status_text(am_status status);

/** One line about the calling thread's last call that failed: what was requested, what is possible.
 *  Valid until this thread's next call that fails. */
AM_API const char* am_error_text(void);

/** The version of the library that is running: "0.1.0". */
AM_API const char* am_version(void);

/** Used by am.hpp: ends the job because this handler has thrown an exception. */
AM_API AM_NORETURN void am_token_threw(am_token token, const char* handler, const char* what);

#ifdef __cplusplus
}
#endif

#endif

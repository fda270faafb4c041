/** @file
 * The names of Generic Active Messages 1.1 (1995) over am.h: handlers are bare functions, a program
 * has one endpoint, and a call that fails ends the job with a line that says why.
 *
 *     request and reply handlers   void h(vnn_t source, a0, …)   up to four arguments of word size
 *     handlers of bulk data        void h(vnn_t source, void* address, int bytes, void* argument)
 *
 * An address in the program itself (a static variable) means that variable at the other rank; any
 * other address is one of the other rank's own.
 *
 * Compile as C, or as C++. All ranks run the same files. A handler that takes an int where a word
 * is sent gets its low half, by the calling conventions of x86-64 and AArch64. */
#ifndef AM_GAM_H
#define AM_GAM_H

#include <am/am.h>

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A rank, as GAM calls it: virtual node number. */
typedef int vnn_t;

/** Any function; it is called with what its kind of handler takes. */
typedef void (*am_gam_function)(void);

/** The functions behind the names below. @{ */
AM_API void am_gam_enable(void);
AM_API void am_gam_disable(void);
AM_API am_ep* am_gam_endpoint(void);
AM_API void am_gam_poll(void);
AM_API int am_gam_request(vnn_t to, am_gam_function fn, int count, const am_word* arguments);
AM_API int am_gam_reply(vnn_t to, am_gam_function fn, int count, const am_word* arguments);
AM_API int am_gam_reply_xfer(vnn_t to, const void* here, void* there, int bytes, am_gam_function fn,
                             void* argument);
AM_API int am_gam_store(vnn_t to, const void* here, void* there, int bytes, am_gam_function fn,
                        void* argument);
AM_API int am_gam_store_async(vnn_t to, const void* here, void* there, int bytes,
                              am_gam_function fn, void* argument, am_gam_function end,
                              void* end_argument);
AM_API int am_gam_get(vnn_t from, const void* there, void* here, int bytes, am_gam_function fn,
                      void* argument);
/** @} */

#ifdef __cplusplus
}
#define AM_GAM_ANY template <class Function>
#define AM_GAM_FN Function* fn
#define AM_GAM_END Function2* end
#define AM_GAM_CAST(f) reinterpret_cast<am_gam_function>(f)
#else
#define AM_GAM_ANY
#define AM_GAM_FN void (*fn)()
#define AM_GAM_CAST(f) ((am_gam_function)(f))
#endif
#define AM_GAM_WORD(a) ((am_word)(a))

/** Joins the job; ignores its arguments, of which it needs none. Blocks on all ranks joining. */
/* NOLINTNEXTLINE(readability-identifier-naming): the name is GAM's */
#define am_enable(...) am_gam_enable()
/** Leaves: collective. Blocks until all ranks leave and no request is unanswered. */
static inline void am_disable(void) { am_gam_disable(); }

/** This process's place in the job. */
static inline int am_my_proc(void) { return (int)am_ep_rank(am_gam_endpoint()); }
/** How many processes the job has. */
static inline int am_procs(void) { return (int)am_ep_ranks(am_gam_endpoint()); }
/** The largest transfer of one call. */
static inline int am_max_size(void) { return INT_MAX; }
/** Runs the handlers of messages that have come; never waits. Not in a handler. */
static inline void am_poll(void) { am_gam_poll(); }

/** Runs `fn` at rank `to` with these arguments; blocks on a credit if there is none, running
 *  handlers meanwhile. Returns 0. @{ */
AM_GAM_ANY static inline int am_request_0(vnn_t to, AM_GAM_FN) {
  return am_gam_request(to, AM_GAM_CAST(fn), 0, (const am_word*)0);
}
AM_GAM_ANY static inline int am_request_1(vnn_t to, AM_GAM_FN, intptr_t a) {
  const am_word all[] = {AM_GAM_WORD(a)};
  return am_gam_request(to, AM_GAM_CAST(fn), 1, all);
}
AM_GAM_ANY static inline int am_request_2(vnn_t to, AM_GAM_FN, intptr_t a, intptr_t b) {
  const am_word all[] = {AM_GAM_WORD(a), AM_GAM_WORD(b)};
  return am_gam_request(to, AM_GAM_CAST(fn), 2, all);
}
AM_GAM_ANY static inline int am_request_3(vnn_t to, AM_GAM_FN, intptr_t a, intptr_t b, intptr_t c) {
  const am_word all[] = {AM_GAM_WORD(a), AM_GAM_WORD(b), AM_GAM_WORD(c)};
  return am_gam_request(to, AM_GAM_CAST(fn), 3, all);
}
AM_GAM_ANY static inline int am_request_4(vnn_t to, AM_GAM_FN, intptr_t a, intptr_t b, intptr_t c,
                                          intptr_t d) {
  const am_word all[] = {AM_GAM_WORD(a), AM_GAM_WORD(b), AM_GAM_WORD(c), AM_GAM_WORD(d)};
  return am_gam_request(to, AM_GAM_CAST(fn), 4, all);
}
/** @} */

/** Answers the request whose handler runs, once; `to` is the rank that sent it. Never waits.
 *  Returns 0. @{ */
AM_GAM_ANY static inline int am_reply_0(vnn_t to, AM_GAM_FN) {
  return am_gam_reply(to, AM_GAM_CAST(fn), 0, (const am_word*)0);
}
AM_GAM_ANY static inline int am_reply_1(vnn_t to, AM_GAM_FN, intptr_t a) {
  const am_word all[] = {AM_GAM_WORD(a)};
  return am_gam_reply(to, AM_GAM_CAST(fn), 1, all);
}
AM_GAM_ANY static inline int am_reply_2(vnn_t to, AM_GAM_FN, intptr_t a, intptr_t b) {
  const am_word all[] = {AM_GAM_WORD(a), AM_GAM_WORD(b)};
  return am_gam_reply(to, AM_GAM_CAST(fn), 2, all);
}
AM_GAM_ANY static inline int am_reply_3(vnn_t to, AM_GAM_FN, intptr_t a, intptr_t b, intptr_t c) {
  const am_word all[] = {AM_GAM_WORD(a), AM_GAM_WORD(b), AM_GAM_WORD(c)};
  return am_gam_reply(to, AM_GAM_CAST(fn), 3, all);
}
AM_GAM_ANY static inline int am_reply_4(vnn_t to, AM_GAM_FN, intptr_t a, intptr_t b, intptr_t c,
                                        intptr_t d) {
  const am_word all[] = {AM_GAM_WORD(a), AM_GAM_WORD(b), AM_GAM_WORD(c), AM_GAM_WORD(d)};
  return am_gam_reply(to, AM_GAM_CAST(fn), 4, all);
}
/** @} */

/* Bulk data. A null function is not called. */
#ifdef __cplusplus
#define AM_GAM_VOID(p) const_cast<void*>(static_cast<const void*>(p))
template <class Function>
inline int am_store(vnn_t to, const void* here, void* there, int bytes, Function fn, void* arg) {
  return am_gam_store(to, here, there, bytes, am_gam_function(fn), arg);
}
template <class Function>
inline int am_reply_xfer(vnn_t to, const void* here, void* there, int bytes, Function fn,
                         void* arg) {
  return am_gam_reply_xfer(to, here, there, bytes, am_gam_function(fn), arg);
}
template <class Function, class End>
inline int am_store_async(vnn_t to, const void* here, void* there, int bytes, Function fn,
                          void* arg, End end, void* end_arg) {
  return am_gam_store_async(to, here, there, bytes, am_gam_function(fn), arg, am_gam_function(end),
                            end_arg);
}
template <class Function>
inline int am_get(vnn_t from, const void* there, void* here, int bytes, Function fn, void* arg) {
  return am_gam_get(from, there, here, bytes, am_gam_function(fn), arg);
}
#else
/** Copies `here` of this rank to `there` of rank `to`, then runs fn(source, there, bytes, arg)
 *  there; `here` may be reused on return. Blocks as am_request_0 does, and on room. Returns 0. */
static inline int am_store(vnn_t to, const void* here, void* there, int bytes, void (*fn)(),
                           void* arg) {
  return am_gam_store(to, here, there, bytes, (am_gam_function)fn, arg);
}
/** Answers the request whose handler runs, once, with bytes: copies `here` to `there` of rank
 *  `to`, which sent it, then runs fn(source, there, bytes, arg) there. Never waits; `here` may be
 *  reused on return. Where this rank cannot write there itself (over tcp, ucx, or where no process
 *  may access another one's memory), it keeps a copy until the requester has fetched it. Returns 0.
 */
static inline int am_reply_xfer(vnn_t to, const void* here, void* there, int bytes, void (*fn)(),
                                void* arg) {
  return am_gam_reply_xfer(to, here, there, bytes, (am_gam_function)fn, arg);
}
/** As am_store, but waits for no credit and no room; end(to, here, bytes, end_arg) runs here when
 *  `here` may be used again. */
static inline int am_store_async(vnn_t to, const void* here, void* there, int bytes, void (*fn)(),
                                 void* arg, void (*end)(), void* end_arg) {
  return am_gam_store_async(to, here, there, bytes, (am_gam_function)fn, arg, (am_gam_function)end,
                            end_arg);
}
/** Copies `there` of rank `from` to `here`, then runs fn(from, here, bytes, arg) here. Returns 0
 *  without waiting for that. */
static inline int am_get(vnn_t from, const void* there, void* here, int bytes, void (*fn)(),
                         void* arg) {
  return am_gam_get(from, there, here, bytes, (am_gam_function)fn, arg);
}
#endif

#endif

/* Calls of gam.h with one bad argument each, named on the command line. Such a call ends the job
 * with an error line; --list prints the calls that have rows. A good call returns, and the program
 * prints that. */
#include <am/gam.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

static char memory[64];
static void on_request(vnn_t from) { (void)from; }
static void on_bulk(vnn_t from, void* where, int bytes, void* arg) {
  (void)from, (void)where, (void)bytes, (void)arg;
}
static am_gam_function outside(void) { return (am_gam_function)(uintptr_t)memory; }
static am_gam_function fn(void) { return (am_gam_function)on_request; }
static am_gam_function bulk(void) { return (am_gam_function)on_bulk; }

static void disable_early(void) { am_disable(); }
static void enable_twice(void) { am_enable(); }
static void no_endpoint_early(void) {
  if (am_gam_endpoint() != NULL) puts("there is one");
}
static void poll_early(void) { am_poll(); }
static void poller(vnn_t from) {
  (void)from;
  am_poll();
}
static void poll_in_handler(void) {
  am_request_0(0, poller);
  for (;;) am_poll();
}
static void request_early(void) { am_gam_request(0, fn(), 0, NULL); }
static void store_early(void) { am_gam_store(0, NULL, NULL, 0, NULL, NULL); }
static void store_async_early(void) {
  am_gam_store_async(0, NULL, NULL, 0, NULL, NULL, NULL, NULL);
}
static void request_rank(void) { am_gam_request(am_procs(), fn(), 0, NULL); }
static void request_minus_1(void) { am_gam_request(-1, fn(), 0, NULL); }
static void request_null(void) { am_gam_request(0, NULL, 0, NULL); }
static void request_no_function(void) { am_gam_request(0, outside(), 0, NULL); }
static void request_count(void) { am_gam_request(0, fn(), 5, NULL); }
static void request_count_minus(void) { am_gam_request(0, fn(), -1, NULL); }
static void request_no_words(void) { am_gam_request(0, fn(), 2, NULL); }
static void reply_outside(void) { am_gam_reply(0, fn(), 0, NULL); }
static void reply_count(void) { am_gam_reply(0, fn(), 5, NULL); }
static void xfer_outside(void) { am_gam_reply_xfer(0, memory, memory, 1, bulk(), NULL); }
static void xfer_minus(vnn_t from) { am_gam_reply_xfer(from, memory, memory, -5, bulk(), NULL); }
static void xfer_bytes(void) {
  am_request_0(0, xfer_minus);
  for (;;) am_poll();
}
static void store_minus_1(void) { am_gam_store(-1, memory, memory, 1, bulk(), NULL); }
static void store_bytes(void) { am_gam_store(0, memory, memory, -5, bulk(), NULL); }
static void store_null(void) { am_gam_store(0, NULL, memory, 1, bulk(), NULL); }
static void store_no_function(void) { am_gam_store(0, memory, memory, 1, NULL, NULL); }
static void async_bytes(void) {
  am_gam_store_async(0, memory, memory, INT_MIN, bulk(), NULL, bulk(), NULL);
}
static void async_rank(void) {
  am_gam_store_async(INT_MAX, memory, memory, 1, bulk(), NULL, bulk(), NULL);
}
static void get_minus_1(void) { am_gam_get(-1, memory, memory, 1, bulk(), NULL); }
static void get_bytes(void) { am_gam_get(0, memory, memory, -5, bulk(), NULL); }

static const struct row {
  const char* call;
  const char* name;
  int early; /* made before am_enable */
  void (*make)(void);
} rows[] = {
    {"am_gam_enable", "enable-twice", 0, enable_twice},
    {"am_gam_disable", "disable-early", 1, disable_early},
    {"am_gam_endpoint", "no-endpoint-early", 1, no_endpoint_early},
    {"am_gam_poll", "poll-early", 1, poll_early},
    {"am_gam_poll", "poll-in-handler", 0, poll_in_handler},
    {"am_gam_request", "request-early", 1, request_early},
    {"am_gam_store", "store-early", 1, store_early},
    {"am_gam_store_async", "store-async-early", 1, store_async_early},
    {"am_gam_request", "request-rank", 0, request_rank},
    {"am_gam_request", "request-minus-1", 0, request_minus_1},
    {"am_gam_request", "request-null", 0, request_null},
    {"am_gam_request", "request-no-function", 0, request_no_function},
    {"am_gam_request", "request-count", 0, request_count},
    {"am_gam_request", "request-count-minus", 0, request_count_minus},
    {"am_gam_request", "request-no-words", 0, request_no_words},
    {"am_gam_reply", "reply-outside", 0, reply_outside},
    {"am_gam_reply", "reply-count", 0, reply_count},
    {"am_gam_reply_xfer", "xfer-outside", 0, xfer_outside},
    {"am_gam_reply_xfer", "xfer-bytes", 0, xfer_bytes},
    {"am_gam_store", "store-minus-1", 0, store_minus_1},
    {"am_gam_store", "store-bytes", 0, store_bytes},
    {"am_gam_store", "store-null", 0, store_null},
    {"am_gam_store", "store-no-function", 0, store_no_function},
    {"am_gam_store_async", "async-bytes", 0, async_bytes},
    {"am_gam_store_async", "async-rank", 0, async_rank},
    {"am_gam_get", "get-minus-1", 0, get_minus_1},
    {"am_gam_get", "get-bytes", 0, get_bytes},
};
enum { COUNT = sizeof rows / sizeof rows[0] };

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int i = 0; i < COUNT; ++i) {
    if (strcmp(argv[1], "--list") == 0) printf("%s %s\n", rows[i].call, rows[i].name);
    if (strcmp(argv[1], rows[i].name) != 0) continue;
    if (rows[i].early) rows[i].make();
    am_enable();
    if (!rows[i].early) rows[i].make();
    am_disable();
    puts("it is allowed");
    return 0;
  }
  return strcmp(argv[1], "--list") == 0 ? 0 : 2;
}

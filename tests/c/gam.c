/* Every function of gam.h, with am.h in the same file: all numbers of arguments both ways,
 * pointers among them, and bulk data with and without handlers; completions run exactly once. */
#include <am/am.h>
#include <am/gam.h>
#include <am/team.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int faults;
static void expect(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "gam: %s\n", what);
  ++faults;
}

static int requests[5];
static int replies[5];
static vnn_t expected_source;
static vnn_t expected_answerer;

static void on_reply_0(vnn_t s) { replies[0] += s == expected_answerer; }
static void on_reply_1(vnn_t s, intptr_t a) { replies[1] += s == expected_answerer && a == -1; }
static void on_reply_2(vnn_t s, intptr_t a, const char* b) {
  replies[2] += s == expected_answerer && a == 1 && b == (const char*)&faults;
}
static void on_reply_3(vnn_t s, int a, int b, int c) {
  replies[3] += s == expected_answerer && a == 1 && b == 2 && c == 3;
}
static void on_reply_4(vnn_t s, intptr_t a, intptr_t b, intptr_t c, intptr_t d) {
  replies[4] += s == expected_answerer && a == 1 && b == 2 && c == 3 && d == INTPTR_MIN;
}

static void on_request_0(vnn_t s) {
  requests[0] += s == expected_source;
  am_reply_0(s, on_reply_0);
}
static void on_request_1(vnn_t s, intptr_t a) {
  requests[1] += a == -1;
  am_reply_1(s, on_reply_1, a);
}
static void on_request_2(vnn_t s, intptr_t a, void* b) {
  requests[2] += a == 1;
  am_reply_2(s, on_reply_2, a, (intptr_t)b);
}
static void on_request_3(vnn_t s, int a, int b, int c) {
  requests[3] += a == 1 && b == 2 && c == 3;
  am_reply_3(s, on_reply_3, a, b, c);
}
static void on_request_4(vnn_t s, intptr_t a, intptr_t b, intptr_t c, intptr_t d) {
  requests[4] += a == 1 && b == 2 && c == 3 && d == INTPTR_MIN;
  am_reply_4(s, on_reply_4, a, b, c, d);
}

static char field[100000];
static char copy[sizeof field];
static int stored, ended, got;

static void on_stored(vnn_t s, void* where, int bytes, void* arg) {
  stored += s == expected_source && where == (void*)field && bytes == (int)sizeof field &&
            arg == (void*)7 && field[bytes - 1] == (char)s;
}
static void on_store_done(vnn_t s, void* here, int bytes, void* arg) {
  ended += s == expected_answerer && bytes == (int)sizeof field && arg == here;
}
static void on_get(vnn_t s, void* here, int bytes, void* arg) {
  got +=
      s == expected_answerer && here == (void*)copy && bytes == (int)sizeof copy && arg == (void*)9;
}

/* Bulk replies, many of which wait at once. */
enum { answers = 200, answer_bytes = 20000 };
static char bulk_replies[answers][answer_bytes];
static char source[answer_bytes];
static int replies_stored, bulk_requests;

static void on_bulk_reply(vnn_t s, void* where, int bytes, void* arg) {
  const intptr_t number = (intptr_t)arg;
  replies_stored += s == expected_answerer && where == (void*)bulk_replies[number] &&
                    bytes == answer_bytes - (int)number &&
                    bulk_replies[number][0] == (char)number &&
                    bulk_replies[number][bytes - 1] == (char)number &&
                    (bytes == answer_bytes || bulk_replies[number][bytes] == 0);
}
static void reply_bulk(vnn_t s, intptr_t number) {
  memset(source, (int)number, sizeof source);
  am_reply_xfer(s, source, bulk_replies[number], answer_bytes - (int)number, on_bulk_reply,
                (void*)number);
  memset(source, 0, sizeof source);
  ++bulk_requests;
}
static void on_empty_reply(vnn_t s, void* where, int bytes, void* arg) {
  replies_stored += s == expected_answerer && where == NULL && bytes == 0 && arg == NULL;
}
static void reply_empty(vnn_t s) { am_reply_xfer(s, NULL, NULL, 0, on_empty_reply, NULL); }

static int all_replied(void) {
  for (int i = 0; i < 5; ++i)
    if (requests[i] != 1 || replies[i] != 1) return 0;
  return 1;
}

int main(int argc, char** argv) {
  (void)argc, (void)argv;
  am_enable(argc, argv);
  const int me = am_my_proc();
  const int next = (me + 1) % am_procs();
  expected_answerer = next;
  expected_source = (me + am_procs() - 1) % am_procs();
  expect(am_max_size() >= 1 << 20, "am_max_size is small");

  am_request_0(next, on_request_0);
  am_request_1(next, on_request_1, -1);
  am_request_2(next, on_request_2, 1, (intptr_t)&faults);
  am_request_3(next, on_request_3, 1, 2, 3);
  am_request_4(next, on_request_4, 1, 2, 3, INTPTR_MIN);
  while (!all_replied()) am_poll();

  char* mine = malloc(sizeof field);
  memset(mine, me, sizeof field);
  am_store(next, mine, field, sizeof field, on_stored, (void*)7);
  while (stored < 1) am_poll();
  am_store_async(next, mine, field, sizeof field, on_stored, (void*)7, on_store_done, mine);
  while (stored < 2 || ended < 1) am_poll();
  am_store(next, mine, field, sizeof field, 0, 0);
  am_get(next, field, copy, sizeof copy, on_get, (void*)9);
  while (got < 1) am_poll();
  expect(copy[0] == (char)me, "a get brought something else");

  for (int i = 0; i < answers; ++i) am_request_1(next, reply_bulk, i);
  am_request_0(next, reply_empty);
  while (replies_stored < answers + 1 || bulk_requests < answers) am_poll();
  expect(replies_stored == answers + 1, "a bulk reply brought something else");

  int64_t sum = me;
  expect(am_ep_all_reduce(am_gam_endpoint(), &sum, 1, AM_INT64, AM_SUM) == AM_OK &&
             sum == (int64_t)am_procs() * (am_procs() - 1) / 2,
         "a sum is another");

  am_disable();
  expect(stored == 2 && ended == 1 && got == 1, "a handler ran again");
  expect(am_gam_endpoint() == NULL, "am_disable left an endpoint");
  free(mine);
  return faults;
}

/* Every name of gam.h, beside am.h in one file: all numbers of arguments both ways, pointers among
 * them, bulk data with and without handlers, and that what ends a store or a get runs once. */
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

static void back_0(vnn_t s) { replies[0] += s == expected_answerer; }
static void back_1(vnn_t s, intptr_t a) { replies[1] += s == expected_answerer && a == -1; }
static void back_2(vnn_t s, intptr_t a, const char* b) {
  replies[2] += s == expected_answerer && a == 1 && b == (const char*)&faults;
}
static void back_3(vnn_t s, int a, int b, int c) {
  replies[3] += s == expected_answerer && a == 1 && b == 2 && c == 3;
}
static void back_4(vnn_t s, intptr_t a, intptr_t b, intptr_t c, intptr_t d) {
  replies[4] += s == expected_answerer && a == 1 && b == 2 && c == 3 && d == INTPTR_MIN;
}

static void ask_0(vnn_t s) {
  requests[0] += s == expected_source;
  am_reply_0(s, back_0);
}
static void ask_1(vnn_t s, intptr_t a) {
  requests[1] += a == -1;
  am_reply_1(s, back_1, a);
}
static void ask_2(vnn_t s, intptr_t a, void* b) {
  requests[2] += a == 1;
  am_reply_2(s, back_2, a, (intptr_t)b);
}
static void ask_3(vnn_t s, int a, int b, int c) {
  requests[3] += a == 1 && b == 2 && c == 3;
  am_reply_3(s, back_3, a, b, c);
}
static void ask_4(vnn_t s, intptr_t a, intptr_t b, intptr_t c, intptr_t d) {
  requests[4] += a == 1 && b == 2 && c == 3 && d == INTPTR_MIN;
  am_reply_4(s, back_4, a, b, c, d);
}

static char field[100000];
static char copy[sizeof field];
static int landed, ended, got;

static void land(vnn_t s, void* where, int bytes, void* arg) {
  landed += s == expected_source && where == (void*)field && bytes == (int)sizeof field &&
            arg == (void*)7 && field[bytes - 1] == (char)s;
}
static void end(vnn_t s, void* here, int bytes, void* arg) {
  ended += s == expected_answerer && bytes == (int)sizeof field && arg == here;
}
static void have(vnn_t s, void* here, int bytes, void* arg) {
  got +=
      s == expected_answerer && here == (void*)copy && bytes == (int)sizeof copy && arg == (void*)9;
}

/* Bulk replies, of which many wait at once. */
enum { answers = 200, answer_bytes = 20000 };
static char answered[answers][answer_bytes];
static char source[answer_bytes];
static int arrived, asked;

static void arrive(vnn_t s, void* where, int bytes, void* arg) {
  const intptr_t number = (intptr_t)arg;
  arrived += s == expected_answerer && where == (void*)answered[number] &&
             bytes == answer_bytes - (int)number && answered[number][0] == (char)number &&
             answered[number][bytes - 1] == (char)number &&
             (bytes == answer_bytes || answered[number][bytes] == 0);
}
static void give(vnn_t s, intptr_t number) {
  memset(source, (int)number, sizeof source);
  am_reply_xfer(s, source, answered[number], answer_bytes - (int)number, arrive, (void*)number);
  memset(source, 0, sizeof source);
  ++asked;
}
static void nothing_arrives(vnn_t s, void* where, int bytes, void* arg) {
  arrived += s == expected_answerer && where == NULL && bytes == 0 && arg == NULL;
}
static void give_nothing(vnn_t s) { am_reply_xfer(s, NULL, NULL, 0, nothing_arrives, NULL); }

static int all_asked(void) {
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

  am_request_0(next, ask_0);
  am_request_1(next, ask_1, -1);
  am_request_2(next, ask_2, 1, (intptr_t)&faults);
  am_request_3(next, ask_3, 1, 2, 3);
  am_request_4(next, ask_4, 1, 2, 3, INTPTR_MIN);
  while (!all_asked()) am_poll();

  char* mine = malloc(sizeof field);
  memset(mine, me, sizeof field);
  am_store(next, mine, field, sizeof field, land, (void*)7);
  while (landed < 1) am_poll();
  am_store_async(next, mine, field, sizeof field, land, (void*)7, end, mine);
  while (landed < 2 || ended < 1) am_poll();
  am_store(next, mine, field, sizeof field, 0, 0);
  am_get(next, field, copy, sizeof copy, have, (void*)9);
  while (got < 1) am_poll();
  expect(copy[0] == (char)me, "a get brought something else");

  for (int i = 0; i < answers; ++i) am_request_1(next, give, i);
  am_request_0(next, give_nothing);
  while (arrived < answers + 1 || asked < answers) am_poll();
  expect(arrived == answers + 1, "a bulk reply brought something else");

  int64_t sum = me;
  expect(am_ep_all_reduce(am_gam_endpoint(), &sum, 1, AM_INT64, AM_SUM) == AM_OK &&
             sum == (int64_t)am_procs() * (am_procs() - 1) / 2,
         "a sum is another");

  am_disable();
  expect(landed == 2 && ended == 1 && got == 1, "a handler ran again");
  expect(am_gam_endpoint() == NULL, "am_disable left an endpoint");
  free(mine);
  return faults;
}

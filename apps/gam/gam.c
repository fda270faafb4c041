/* The Generic Active Messages of 1995: a ring of requests, a remote read, a store. Prints one line
 * for each rank that has seen all three. */
#include <am/gam.h>

#include <stdio.h>

static int rounds;
static int answer;
static int landed;
static int value;
static int field[4];
static int copy[4];
static int copied;

/* A token goes round the ring; each rank forwards it from its main loop. */
static int have_token;
static void token(vnn_t source, int round) {
  (void)source;
  rounds = round;
  have_token = 1;
}

/* A remote read: the reply brings the value. */
static void on_value(vnn_t source, int what) {
  (void)source;
  answer = what;
}
static void read_value(vnn_t source) { am_reply_1(source, on_value, value); }

static void on_stored(vnn_t source, void* where, int bytes, void* argument) {
  (void)source;
  landed = where == (void*)field && bytes == (int)sizeof field && argument == (void*)0;
}
static void on_got(vnn_t source, void* where, int bytes, void* argument) {
  (void)source, (void)where, (void)bytes;
  *(int*)argument = 1;
}

int main(void) {
  am_enable();
  const int me = am_my_proc();
  const int all = am_procs();
  const int next = (me + 1) % all;
  value = 100 + me;

  if (me == 0) am_request_1(next, token, 1);
  while (!have_token) am_poll();
  if (me != 0) am_request_1(next, token, rounds);

  am_request_0(next, read_value);
  while (answer == 0) am_poll();

  const int mine[4] = {me, me + 1, me + 2, me + 3};
  am_store(next, mine, field, sizeof mine, on_stored, (void*)0);
  while (!landed) am_poll();
  am_get(next, &value, copy, sizeof value, on_got, &copied);
  while (!copied) am_poll();

  printf("gam: rank %d of %d: read %d, got %d, stored from %d\n", me, all, answer, copy[0],
         field[0]);
  am_disable();
  return 0;
}

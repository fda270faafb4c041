/* All of am.h that a C program needs for messages, in C11: each rank sends small and medium
 * messages to the next one, by named handlers, and reads the key that its neighbour has put. Works
 * with any number of ranks, including 1. */
#include <am/am.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUIRE(what)                                                                 \
  do {                                                                                \
    if (!(what)) {                                                                    \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #what, am_error_text()); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

struct state {
  am_word sum;         /* from the reply */
  unsigned char* seen; /* the payload of the last medium */
  size_t bytes;
  am_word tag;
};

static struct state* state_of(am_token token) { return am_ep_context(am_token_endpoint(token)); }

static void on_sum(am_token token, const am_word* words, const void* data, size_t bytes) {
  (void)data, (void)bytes;
  state_of(token)->sum = words[0];
  REQUIRE(am_token_reply(token, NULL, 0, 0, 0, 0) != AM_OK); /* a reply is not answered */
}
AM_HANDLER(on_sum, "on_sum");

static void on_add(am_token token, const am_word* words, const void* data, size_t bytes) {
  (void)data, (void)bytes;
  am_word sum = words[0] + words[1] + words[2] + words[3];
  REQUIRE(am_token_reply(token, AM_H(on_sum), sum, am_token_source(token), 0, 0) == AM_OK);
}
AM_HANDLER(on_add, "on_add");

static void on_bytes(am_token token, const am_word* words, const void* data, size_t bytes) {
  struct state* state = state_of(token);
  state->seen = malloc(bytes);
  REQUIRE(state->seen != NULL);
  memcpy(state->seen, data, bytes);
  state->bytes = bytes;
  state->tag = words[3];
}
AM_HANDLER(on_bytes, "on_bytes");

static int has_sum(void* state) { return ((struct state*)state)->sum != 0; }
static int has_bytes(void* state) { return ((struct state*)state)->seen != NULL; }
static int never(void* unused) {
  (void)unused;
  return 0;
}

int main(int argc, char** argv) {
  am_ep* ep = NULL;
  REQUIRE(am_join(&argc, &argv, &ep) == AM_OK);
  struct state state = {0};
  am_ep_set_context(ep, &state);
  am_rank me = am_ep_rank(ep), ranks = am_ep_ranks(ep), next = (me + 1) % ranks;

  /* No rank sends before all ranks have their contexts. */
  char word[32];
  snprintf(word, sizeof word, "rank %u", (unsigned)me);
  REQUIRE(am_job_put(ep, "word", word, sizeof word) == AM_OK);
  REQUIRE(am_job_fence(ep) == AM_OK);

  REQUIRE(am_ep_request(ep, next, AM_H(on_add), 1, 2, 3, me) == AM_OK);
  REQUIRE(am_ep_wait(ep, has_sum, &state) == AM_OK);
  REQUIRE(state.sum == 6 + me);

  unsigned char payload[1000];
  for (size_t i = 0; i < sizeof payload; ++i) payload[i] = (unsigned char)(i * 7 + me);
  REQUIRE(am_ep_max_medium(ep) >= AM_MIN_MAX_MEDIUM);
  REQUIRE(am_ep_request_medium(ep, next, AM_H(on_bytes), payload, sizeof payload, 0, 0, 0, 42) ==
          AM_OK);
  memset(payload, 0, sizeof payload); /* the source may be reused at once */
  REQUIRE(am_ep_wait(ep, has_bytes, &state) == AM_OK);
  am_rank before = (me + ranks - 1) % ranks;
  REQUIRE(state.bytes == sizeof payload && state.tag == 42);
  for (size_t i = 0; i < sizeof payload; ++i)
    REQUIRE(state.seen[i] == (unsigned char)(i * 7 + before));
  free(state.seen);

  char found[32], wanted[32];
  size_t room = sizeof found;
  REQUIRE(am_job_get(ep, before, "word", found, &room) == AM_OK && room == sizeof found);
  snprintf(wanted, sizeof wanted, "rank %u", (unsigned)before);
  REQUIRE(strcmp(found, wanted) == 0);

  REQUIRE(am_ep_wait_for(ep, never, NULL, 1000000) == AM_AGAIN_TIME);
  REQUIRE(am_ep_request(ep, ranks, AM_H(on_add), 0, 0, 0, 0) == AM_ARGUMENT_RANK);
  REQUIRE(strcmp(am_status_text(AM_ARGUMENT_RANK), "argument(rank)") == 0);
  REQUIRE(am_status_reason(AM_ARGUMENT_RANK) == AM_REASON_ARGUMENT);
  REQUIRE(strcmp(am_version(), AM_VERSION_STRING) == 0);

  REQUIRE(am_ep_flush(ep) == AM_OK);
  REQUIRE(am_ep_close(ep) == AM_OK);
  return 0;
}

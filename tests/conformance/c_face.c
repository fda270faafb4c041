/* The C interface by itself, in C11: named handlers, requests, replies, payloads, waiting,
 * statuses, the key-value store, collectives, leaving. */
#include "c_team.h"

#include <am/am.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static unsigned failures = 0;
static am_rank my_rank = 0;

#define EXPECT(...)                                                                           \
  do {                                                                                        \
    if (!(__VA_ARGS__)) {                                                                     \
      fprintf(stderr, "rank %u: %s:%d: %s (%s)\n", my_rank, __FILE__, __LINE__, #__VA_ARGS__, \
              am_error_text());                                                               \
      ++failures;                                                                             \
    }                                                                                         \
  } while (0)

struct seen {
  am_word sum;
  unsigned sums;
  unsigned payloads;
  unsigned back;
  am_status second_reply;
  am_status request_inside;
};

static struct seen* seen_by(am_token token) {
  return (struct seen*)am_ep_context(am_token_endpoint(token));
}

static void on_sum(am_token token, const am_word* words, const void* data, size_t bytes) {
  struct seen* seen = seen_by(token);
  EXPECT(data == NULL && bytes == 0);
  seen->sum = words[0];
  ++seen->sums;
}
AM_HANDLER(on_sum, "c.summed");

static void on_add(am_token token, const am_word* words, const void* data, size_t bytes) {
  struct seen* seen = seen_by(token);
  EXPECT(data == NULL && bytes == 0);
  EXPECT(am_token_source(token) < am_ep_ranks(am_token_endpoint(token)));
  EXPECT(am_token_reply(token, AM_H(on_sum), words[0] + words[1] + words[2] + words[3], 0, 0, 0) ==
         AM_OK);
  seen->second_reply = am_token_reply(token, AM_H(on_sum), 0, 0, 0, 0);
  seen->request_inside = am_ep_request(am_token_endpoint(token), 0, AM_H(on_sum), 0, 0, 0, 0);
}
AM_HANDLER(on_add, "c.add");

static void on_payload(am_token token, const am_word* words, const void* data, size_t bytes) {
  const unsigned char* at = (const unsigned char*)data;
  EXPECT(bytes == words[0]);
  for (size_t i = 0; i < bytes; ++i) EXPECT(at[i] == (unsigned char)(i + words[1]));
  ++seen_by(token)->payloads;
}
AM_HANDLER(on_payload, "c.payload");

static void post_nothing(void* arg) { ++*(unsigned*)arg; }
static int have_sums(void* arg) { return ((struct seen*)arg)->sums > 0; }
static int have_payloads(void* arg) { return ((struct seen*)arg)->payloads == 3; }
static int never(void* arg) { return arg == (void*)&failures; }

static void messages(am_ep* ep, struct seen* seen) {
  const am_rank next = (my_rank + 1) % am_ep_ranks(ep);
  EXPECT(am_ep_request(ep, next, AM_H(on_add), 1, 2, 3, 4) == AM_OK);
  EXPECT(am_ep_wait(ep, have_sums, seen) == AM_OK);
  EXPECT(seen->sum == 10);

  unsigned char bytes[5000];
  const size_t sizes[] = {0, 65, sizeof bytes};
  for (unsigned s = 0; s < 3; ++s) {
    for (size_t i = 0; i < sizes[s]; ++i) bytes[i] = (unsigned char)(i + s);
    EXPECT(am_ep_request_medium(ep, next, AM_H(on_payload), bytes, sizes[s], sizes[s], s, 0, 0) ==
           AM_OK);
    memset(bytes, 0xee, sizeof bytes);
  }
  unsigned ran = 0;
  while (!have_payloads(seen)) EXPECT(am_ep_wait_any(ep, 1, INT64_MAX, &ran) == AM_OK && ran <= 1);
  unsigned posted = 0;
  EXPECT(am_ep_post(ep, post_nothing, &posted) == AM_OK);
  while (posted == 0) EXPECT(am_ep_wait_any(ep, 0, INT64_MAX, NULL) == AM_OK);
  EXPECT(am_job_fence(ep) == AM_OK);
  EXPECT(seen->second_reply == AM_USAGE_REPLIED);
  EXPECT(seen->request_inside == AM_USAGE_IN_HANDLER);
}

static void refusals(am_ep* ep) {
  EXPECT(am_ep_request(ep, am_ep_ranks(ep), AM_H(on_add), 0, 0, 0, 0) == AM_ARGUMENT_RANK);
  EXPECT(am_ep_request(ep, 0, NULL, 0, 0, 0, 0) == AM_ARGUMENT_HANDLER);
  EXPECT(strstr(am_error_text(), "\n") == NULL && strlen(am_error_text()) > 0);
  EXPECT(am_ep_wait_for(ep, never, NULL, 1000000) == AM_AGAIN_TIME);
  while (am_ep_wait_any(ep, 0, 1000000, NULL) == AM_OK) {
  }
  EXPECT(am_ep_wait_any(ep, 0, 1000000, NULL) == AM_AGAIN_TIME);
  EXPECT(strcmp(am_status_text(AM_AGAIN_TIME), "again(time)") == 0);
  EXPECT(am_status_reason(AM_AGAIN_TIME) == AM_REASON_AGAIN);
}

static void key_store(am_ep* ep) {
  const am_rank next = (my_rank + 1) % am_ep_ranks(ep);
  const unsigned mine = my_rank * 7 + 1;
  unsigned theirs = 0;
  size_t bytes = sizeof theirs;
  EXPECT(am_job_put(ep, "c.keys", &mine, sizeof mine) == AM_OK);
  EXPECT(am_job_fence(ep) == AM_OK);
  EXPECT(am_job_get(ep, next, "c.keys", &theirs, &bytes) == AM_OK);
  EXPECT(bytes == sizeof theirs && theirs == next * 7 + 1);
}

int main(int argc, char** argv) {
  alarm(120);
  for (unsigned round = 0; round < 2; ++round) {
    struct seen seen = {0, 0, 0, 0, AM_OK, AM_OK};
    am_ep* ep = NULL;
    EXPECT(am_join(&argc, &argv, &ep) == AM_OK);
    if (ep == NULL) return 1;
    my_rank = am_ep_rank(ep);
    EXPECT(my_rank < am_ep_ranks(ep));
    EXPECT(strcmp(am_version(), AM_VERSION_STRING) == 0);
    EXPECT(am_ep_max_medium(ep) >= AM_MIN_MAX_MEDIUM);
    am_ep_set_context(ep, &seen);
    EXPECT(am_job_fence(ep) == AM_OK);
    messages(ep, &seen);
    refusals(ep);
    key_store(ep);
    failures += try_collectives(ep);
    unsigned ran = 77;
    EXPECT(am_ep_poll(ep, 0, &ran) == AM_OK && ran != 77);
    EXPECT(am_ep_flush(ep) == AM_OK);
    EXPECT(am_ep_close(ep) == AM_OK);
  }
  return failures != 0;
}

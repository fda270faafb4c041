/* am/team.h by itself, in C11: every type with all its operations, from one value to several
 * pieces, every root; errors; and that handlers run meanwhile. */
#include "c_team.h"

#include <am/team.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures = 0;

#define EXPECT(...)                                                                           \
  do {                                                                                        \
    if (!(__VA_ARGS__)) {                                                                     \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #__VA_ARGS__, am_error_text()); \
      ++failures;                                                                             \
    }                                                                                         \
  } while (0)

/* None, one, as many as fit in words, some, more than a piece. */
static const size_t counts[] = {0, 1, 2, 3, 333, 5000};
enum { counts_tried = sizeof counts / sizeof *counts, most = 5000 };

/* The value of `rank` at index `i`; some are negative, and some sums exceed 2^63. */
static uint64_t bits_of(am_rank rank, size_t i) {
  return (UINT64_C(0x9e3779b97f4a7c15) * (rank + 1)) ^ (UINT64_C(0xd1b54a32d192ed03) * (i + 7));
}
static double real_of(am_rank rank, size_t i) { return (rank * 3.0 - 4.0) / (double)(i + 3); }

static uint64_t combined(uint64_t a, uint64_t b, am_value_type type, am_reduce_op op) {
  const int a_first = type == AM_INT64 ? (int64_t)a < (int64_t)b : a < b;
  switch (op) {
    case AM_SUM: return a + b;
    case AM_MIN: return a_first ? a : b;
    case AM_MAX: return a_first ? b : a;
    case AM_BIT_AND: return a & b;
    case AM_BIT_OR: return a | b;
    case AM_BIT_XOR: return a ^ b;
  }
  return 0;
}

static void integers(am_ep* ep, am_value_type type) {
  static uint64_t values[most];
  const am_rank me = am_ep_rank(ep);
  for (int op = AM_SUM; op <= AM_BIT_XOR; ++op)
    for (unsigned c = 0; c < counts_tried; ++c) {
      for (size_t i = 0; i < counts[c]; ++i) values[i] = bits_of(me, i);
      EXPECT(am_ep_all_reduce(ep, values, counts[c], type, (am_reduce_op)op) == AM_OK);
      for (size_t i = 0; i < counts[c]; ++i) {
        uint64_t expected = bits_of(0, i);
        for (am_rank rank = 1; rank < am_ep_ranks(ep); ++rank)
          expected = combined(expected, bits_of(rank, i), type, (am_reduce_op)op);
        if (values[i] == expected) continue;
        EXPECT(!"an integer is as expected");
        break;
      }
    }
}

/* A sum may be rounded in another order than here, but the same at every rank. */
static void doubles(am_ep* ep) {
  static double values[most];
  static double root_has[most];
  const am_rank me = am_ep_rank(ep), ranks = am_ep_ranks(ep);
  for (int op = AM_SUM; op <= AM_MAX; ++op)
    for (unsigned c = 0; c < counts_tried; ++c) {
      const size_t count = counts[c];
      for (size_t i = 0; i < count; ++i) values[i] = real_of(me, i);
      EXPECT(am_ep_all_reduce(ep, values, count, AM_DOUBLE, (am_reduce_op)op) == AM_OK);
      memcpy(root_has, values, sizeof root_has);
      EXPECT(am_ep_broadcast(ep, ranks - 1, root_has, count * sizeof *root_has) == AM_OK);
      EXPECT(memcmp(root_has, values, count * sizeof *values) == 0);
      for (size_t i = 0; i < count; ++i) {
        double expected = real_of(0, i);
        for (am_rank rank = 1; rank < ranks; ++rank) {
          const double its = real_of(rank, i);
          expected = op == AM_SUM   ? expected + its
                     : op == AM_MIN ? fmin(expected, its)
                                    : fmax(expected, its);
        }
        if (fabs(values[i] - expected) <= (op == AM_SUM ? 1e-9 : 0)) continue;
        EXPECT(!"a double is as expected");
        break;
      }
    }
}

/* A NaN of some ranks is ignored; where all have one, it is the result. */
static void not_a_number(am_ep* ep) {
  const am_rank me = am_ep_rank(ep), ranks = am_ep_ranks(ep);
  for (am_rank whose = 0; whose < ranks; ++whose) {
    double least = me == whose ? NAN : me + 1.0;
    double most_of_all = least;
    EXPECT(am_ep_all_reduce(ep, &least, 1, AM_DOUBLE, AM_MIN) == AM_OK);
    EXPECT(am_ep_all_reduce(ep, &most_of_all, 1, AM_DOUBLE, AM_MAX) == AM_OK);
    if (ranks == 1) {
      EXPECT(isnan(least) && isnan(most_of_all));
    } else {
      EXPECT(least == (whose == 0 ? 2.0 : 1.0));
      EXPECT(most_of_all == (whose == ranks - 1 ? ranks - 1.0 : (double)ranks));
    }
  }
}

static void broadcasts(am_ep* ep) {
  static const size_t sizes[] = {0, 1, 16, 17, 4096, 100003};
  unsigned char* bytes = malloc(100003);
  const am_rank me = am_ep_rank(ep);
  for (am_rank root = 0; root < am_ep_ranks(ep); ++root)
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
      for (size_t i = 0; i < sizes[s]; ++i) bytes[i] = (unsigned char)(i * 7 + me);
      EXPECT(am_ep_broadcast(ep, root, bytes, sizes[s]) == AM_OK);
      unsigned wrong = 0;
      for (size_t i = 0; i < sizes[s]; ++i) wrong += bytes[i] != (unsigned char)(i * 7 + root);
      EXPECT(wrong == 0);
    }
  free(bytes);
}

/* ---- barriers -----------------------------------------------------------------------------------
 */

static am_word arrived = 0; /* from the rank before this one */
static void on_arrival(am_token token, const am_word* words, const void* data, size_t bytes) {
  (void)token, (void)data, (void)bytes;
  arrived += words[0];
}
AM_HANDLER(on_arrival, "c.team.come");

/* A barrier's first message comes from the rank before this one, after its earlier messages; and
 * that rank cannot be two barriers ahead. A single rank waits for nothing. */
static void barriers(am_ep* ep) {
  arrived = 0;
  EXPECT(am_ep_barrier(ep) == AM_OK);
  const am_rank next = (am_ep_rank(ep) + 1) % am_ep_ranks(ep);
  for (am_word round = 1; round <= 50; ++round) {
    EXPECT(am_ep_request(ep, next, AM_H(on_arrival), 1, 0, 0, 0) == AM_OK);
    EXPECT(am_ep_barrier(ep) == AM_OK);
    EXPECT(am_ep_ranks(ep) == 1 || (arrived >= round && arrived <= round + 1));
  }
  while (arrived < 50) EXPECT(am_ep_poll(ep, 0, NULL) == AM_OK);
  EXPECT(am_ep_barrier(ep) == AM_OK);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static am_status in_handler[3];
static unsigned refused_calls = 0;
static void on_call_inside(am_token token, const am_word* words, const void* data, size_t bytes) {
  (void)words, (void)data, (void)bytes;
  am_ep* ep = am_token_endpoint(token);
  int64_t value = 1;
  in_handler[0] = am_ep_barrier(ep);
  in_handler[1] = am_ep_broadcast(ep, 0, &value, sizeof value);
  in_handler[2] = am_ep_all_reduce(ep, &value, 1, AM_INT64, AM_SUM);
  ++refused_calls;
}
AM_HANDLER(on_call_inside, "c.team.call_inside");
static int has_refused(void* arg) { return refused_calls > *(unsigned*)arg; }

/* At one rank only: its next collective still matches the others' next. */
static void refusals(am_ep* ep) {
  const am_rank ranks = am_ep_ranks(ep);
  uint64_t value = 1;
  if (am_ep_rank(ep) == 0) {
    unsigned before = refused_calls;
    EXPECT(am_ep_request(ep, 0, AM_H(on_call_inside), 0, 0, 0, 0) == AM_OK);
    EXPECT(am_ep_wait(ep, has_refused, &before) == AM_OK);
    for (int i = 0; i < 3; ++i) EXPECT(in_handler[i] == AM_USAGE_IN_HANDLER);
    EXPECT(am_ep_broadcast(ep, ranks, &value, 8) == AM_ARGUMENT_RANK);
    EXPECT(am_ep_broadcast(ep, 0, NULL, 8) == AM_ARGUMENT_ADDRESS);
    EXPECT(am_ep_all_reduce(ep, NULL, 1, AM_INT64, AM_SUM) == AM_ARGUMENT_ADDRESS);
    EXPECT(am_ep_all_reduce(ep, &value, 1, AM_DOUBLE, AM_BIT_AND) == AM_ARGUMENT_SIZE);
    EXPECT(am_ep_all_reduce(ep, &value, SIZE_MAX / 4, AM_INT64, AM_SUM) == AM_ARGUMENT_SIZE);
  }
  EXPECT(am_ep_all_reduce(ep, &value, 1, AM_UINT64, AM_SUM) == AM_OK && value == ranks);
}

unsigned try_collectives(am_ep* ep) {
  failures = 0;
  broadcasts(ep);
  barriers(ep);
  integers(ep, AM_INT64);
  integers(ep, AM_UINT64);
  doubles(ep);
  not_a_number(ep);
  refusals(ep);
  return failures;
}

/* The collectives of am/team.h in a job whose ranks run different files: one links libam.so, one
 * contains libam. They share libam's own handlers, which have names. */
#include <am/team.h>

#include <stdio.h>

int main(int argc, char** argv) {
  am_ep* ep = NULL;
  if (am_join(&argc, &argv, &ep) != AM_OK) {
    fprintf(stderr, "%s\n", am_error_text());
    return 1;
  }
  const am_rank last = am_ep_ranks(ep) - 1;
  am_rank ranks[100] = {am_ep_rank(ep)};
  int64_t ones = 1;
  const int good = am_ep_barrier(ep) == AM_OK &&
                   am_ep_broadcast(ep, last, ranks, sizeof ranks) == AM_OK && ranks[0] == last &&
                   am_ep_all_reduce(ep, &ones, 1, AM_INT64, AM_SUM) == AM_OK && ones == last + 1;
  if (!good) fprintf(stderr, "not so: %s\n", am_error_text());
  return am_ep_close(ep) == AM_OK && good ? 0 : 1;
}

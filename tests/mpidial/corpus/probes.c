/* Probes of all kinds. */
#include "corpus.h"

enum { messages = 60, most = 30000 };
static int data[most];

static void send_all(int rank) {
  for (int i = 0; i < messages; ++i) {
    const int count = i % 7 == 0 ? most - i : i;
    fill(data, count, rank, i);
    MPI_Send(data, count, MPI_INT, 0, i % 4, MPI_COMM_WORLD);
  }
}

/* Of each sender and tag the messages come in order: a sum that depends on it. */
static void receive_all(int size, int how) {
  long sums[64][4] = {{0}};
  for (int i = 0; i < messages * (size - 1); ++i) {
    MPI_Status its, same;
    MPI_Message message;
    int found = 0, count = 0, got = 0;
    const int tag = how % 2 ? MPI_ANY_TAG : i % 4;
    if (how < 2) {
      MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &its);
    } else if (how < 4) {
      while (!found) MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &its);
    } else if (how < 6) {
      MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &its);
    } else {
      while (!found) MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &message, &its);
    }
    MPI_Get_count(&its, MPI_INT, &count);
    if (how < 4) {
      MPI_Recv(data, count, MPI_INT, its.MPI_SOURCE, its.MPI_TAG, MPI_COMM_WORLD, &same);
    } else if (how < 6) {
      MPI_Mrecv(data, count, MPI_INT, &message, &same);
    } else {
      MPI_Request request;
      MPI_Imrecv(data, count, MPI_INT, &message, &request);
      MPI_Wait(&request, &same);
    }
    MPI_Get_count(&same, MPI_INT, &got);
    need(count == got, "the probe has seen the length");
    sums[its.MPI_SOURCE][its.MPI_TAG] =
        sums[its.MPI_SOURCE][its.MPI_TAG] * 3 % 1000003 + sum_of(data, count);
  }
  for (int from = 1; from < size; ++from)
    for (int tag = 0; tag < 4; ++tag) say("%d %d: %ld", from, tag, sums[from][tag]);
}

static void probes(int rank, int size) {
  for (int how = 0; how < 8; ++how) {
    if (rank == 0)
      receive_all(size, how);
    else
      send_all(rank);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Receives that have been begun before a probe sees a later message. */
static void mixed(int rank, int size) {
  (void)size;
  if (rank == 1) {
    for (int i = 0; i < 40; ++i) MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else if (rank == 0) {
    for (int i = 0; i < 40; i += 4) {
      MPI_Request requests[2];
      MPI_Status its;
      int values[4];
      MPI_Irecv(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Probe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &its);
      MPI_Recv(&values[2], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &its);
      MPI_Wait(&requests[1], &its);
      MPI_Recv(&values[3], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &its);
      MPI_Wait(&requests[0], &its);
      for (int k = 0; k < 4; ++k) need(values[k] == i + k, "messages overtake none");
    }
    say("in order");
  }
}

const struct program probe_programs[] = {{"probes", probes}, {"mixed", mixed}, {NULL, NULL}};

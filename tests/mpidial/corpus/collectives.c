/* Collective calls, blocking and not. */
#include "corpus.h"

enum { most = 64, length = 50 };

static void blocking(int rank, int size) {
  int data[most * length], into[most * length], counts[most], places[most];
  for (int i = 0; i < size; ++i) {
    counts[i] = i + 1;
    places[i] = i * length;
  }
  fill(data, size * length, rank, 1);
  memset(into, 0, sizeof into);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Reduce(data, into, length, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(into, length, MPI_INT, 0, MPI_COMM_WORLD);
  say("reduce: %ld", sum_of(into, length));
  MPI_Allreduce(data, into, length, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, into, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("allreduce: %ld", sum_of(into, length));
  MPI_Scan(data, into, length, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("scan: %ld", sum_of(into, length));
  MPI_Gather(data, length, MPI_INT, into, length, MPI_INT, size - 1, MPI_COMM_WORLD);
  MPI_Scatter(into, length, MPI_INT, rank == size - 1 ? MPI_IN_PLACE : into, length, MPI_INT,
              size - 1, MPI_COMM_WORLD);
  MPI_Allgather(data, length, MPI_INT, into, length, MPI_INT, MPI_COMM_WORLD);
  say("gather: %ld", sum_of(into, size * length));
  MPI_Gatherv(data, rank + 1, MPI_INT, into, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(into, counts, places, MPI_INT, data, rank + 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(data, rank + 1, MPI_INT, into, counts, places, MPI_INT, MPI_COMM_WORLD);
  say("gatherv: %ld", sum_of(into, size * length));
  MPI_Alltoall(data, length, MPI_INT, into, length, MPI_INT, MPI_COMM_WORLD);
  say("alltoall: %ld", sum_of(into, size * length));
  for (int i = 0; i < size; ++i) counts[i] = 3;
  MPI_Alltoallv(data, counts, places, MPI_INT, into, counts, places, MPI_INT, MPI_COMM_WORLD);
  say("alltoallv: %ld", sum_of(into, size * length));
  MPI_Reduce_scatter_block(data, into, 5, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("reduce_scatter_block: %ld", sum_of(into, 5));
  MPI_Reduce_scatter(data, into, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("reduce_scatter: %ld", sum_of(into, 3));
}

static void later(int rank, int size) {
  MPI_Request requests[6];
  int one = rank, sum = 0, all[most], value = rank == 1 % size ? 77 : 0, got = -1, before = 0;
  for (int round = 0; round < 10; ++round) {
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather(&one, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibcast(&value, 1, MPI_INT, 1 % size, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&got, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(&one, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[5]);
    if (round % 3 == 0) {
      MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    } else if (round % 3 == 1) {
      for (int left = 6, index; left > 0; --left)
        MPI_Waitany(6, requests, &index, MPI_STATUS_IGNORE);
    } else {
      for (int i = 0; i < 6; ++i)
        for (int ended = 0; !ended;) MPI_Test(&requests[i], &ended, MPI_STATUS_IGNORE);
    }
    MPI_Exscan(&one, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("%d: %d %ld %d %d", round, sum, sum_of(all, size), value, got);
  }
}

const struct program collective_programs[] = {
    {"collectives", blocking}, {"collectives-later", later}, {NULL, NULL}};

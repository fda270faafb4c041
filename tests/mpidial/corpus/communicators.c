/* Communicators of all kinds: the same ranks and tags in several of them are not mixed up. */
#include "corpus.h"

/* A message to the next rank of each, begun in one order and received in the other. */
static void pass(MPI_Comm* comms, int count, const char* what) {
  enum { most = 16 };
  MPI_Request requests[most];
  int values[most][2], sum = 0;
  for (int i = 0; i < count; ++i) {
    int rank, size;
    if (comms[i] == MPI_COMM_NULL) continue;
    MPI_Comm_rank(comms[i], &rank);
    MPI_Comm_size(comms[i], &size);
    values[i][0] = rank;
    values[i][1] = i;
    MPI_Isend(values[i], 2, MPI_INT, (rank + 1) % size, 7, comms[i], &requests[i]);
  }
  for (int i = count - 1; i >= 0; --i) {
    int got[2], rank, size;
    if (comms[i] == MPI_COMM_NULL) continue;
    MPI_Comm_rank(comms[i], &rank);
    MPI_Comm_size(comms[i], &size);
    MPI_Recv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE);
    need(got[0] == (rank + size - 1) % size && got[1] == i, "the message of this communicator");
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    sum += got[0] * (i + 1);
  }
  say("%s: %d", what, sum);
}

static void splits(int rank, int size) {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm comms[8];
    MPI_Request request;
    MPI_Group world, part;
    const int own = rank % 2, half = (size + 1) / 2;
    int ranks[64];
    for (int i = 0; i < half; ++i) ranks[i] = size - 1 - i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, half, ranks, &part);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, own, -rank, &comms[2]);
    MPI_Comm_split(comms[2], 0, rank, &comms[3]);
    MPI_Comm_create(MPI_COMM_WORLD, part, &comms[4]);
    comms[5] = MPI_COMM_NULL;
    if (rank >= size - half) MPI_Comm_create_group(MPI_COMM_WORLD, part, 3, &comms[5]);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comms[6]);
    MPI_Comm_idup(comms[1], &comms[7], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pass(comms, 8, "splits");
    for (int i = 1; i < 8; ++i)
      if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
    MPI_Group_free(&part);
    MPI_Group_free(&world);
  }
}

static void topologies(int rank, int size) {
  MPI_Comm comms[5];
  int shape[2] = {0, 0}, periodic[2] = {1, 1}, kept[2] = {1, 0};
  MPI_Dims_create(size, 2, shape);
  MPI_Cart_create(MPI_COMM_WORLD, 2, shape, periodic, 0, &comms[0]);
  MPI_Cart_sub(comms[0], kept, &comms[1]);
  int index[64], edges[128], degree = 2;
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + 1) % size;
    edges[2 * i + 1] = (i + size - 1) % size;
  }
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comms[2]);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &edges[2 * rank], MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &comms[3]);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &edges[2 * rank + 1], MPI_UNWEIGHTED, 1,
                                 &edges[2 * rank], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comms[4]);
  pass(comms, 5, "topologies");
  int around[2] = {-1, -1};
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, comms[2]);
  say("neighbours: %d %d", around[0], around[1]);
  for (int i = 0; i < 5; ++i) MPI_Comm_free(&comms[i]);
}

/* Two groups, and one made of them again. */
static void between(int rank, int size) {
  MPI_Comm half, both, merged, again;
  if (size < 2) return;
  const int upper = rank >= size / 2;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  for (int round = 0; round < 3; ++round) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : size / 2, 12, &both);
    int own, others, got = -1, sum = 0;
    MPI_Comm_rank(both, &own);
    MPI_Comm_remote_size(both, &others);
    MPI_Request request;
    MPI_Isend(&rank, 1, MPI_INT, own % others, 1, both, &request);
    const int mine = upper ? size / 2 : size - size / 2;
    for (int i = 0; i < mine; ++i) {
      if (i % (upper ? size - size / 2 : size / 2) != own) continue;
      MPI_Recv(&got, 1, MPI_INT, i, 1, both, MPI_STATUS_IGNORE);
      sum += got;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(both, upper, &merged);
    MPI_Comm_dup(both, &again);
    MPI_Comm comms[] = {merged, MPI_COMM_WORLD};
    pass(comms, 2, "merged");
    int total = 0;
    MPI_Allreduce(&rank, &total, 1, MPI_INT, MPI_SUM, again);
    say("between: %d %d", sum, total);
    MPI_Comm_free(&again);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&both);
  }
  MPI_Comm_free(&half);
}

/* A communicator that is freed while its messages are under way. */
static void freed_early(int rank, int size) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm one;
    MPI_Request requests[2];
    int value = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 0, one, &requests[0]);
    MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, one, &requests[1]);
    MPI_Comm_free(&one);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    need(value == (rank + 1) % size, "the message has come");
  }
  say("freed early");
}

const struct program communicator_programs[] = {{"splits", splits},
                                                {"topologies", topologies},
                                                {"between", between},
                                                {"freed-early", freed_early},
                                                {NULL, NULL}};

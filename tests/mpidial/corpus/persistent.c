/* Persistent requests: started, ended in every way, inactive among others, freed. */
#include "corpus.h"

enum { length = 200, rounds = 30 };
static int in[4][length], out[4][length];

static void persistent(int rank, int size) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request requests[8];
  const int room = rounds * (length * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
  void* space = malloc((size_t)room);
  MPI_Buffer_attach(space, room);
  for (int i = 0; i < 4; ++i)
    MPI_Recv_init(in[i], length, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Send_init(out[0], length, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Ssend_init(out[1], length, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Bsend_init(out[2], length, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Send_init(out[3], 0, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[7]);
  long sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 4; ++i) fill(out[i], length, rank, round);
    int left = 8, index, ended = 0;
    MPI_Status its;
    MPI_Startall(4, requests);
    for (int i = 4; i < 8; ++i) MPI_Start(&requests[i]);
    switch (round % 4) {
      case 0: MPI_Waitall(8, requests, MPI_STATUSES_IGNORE); break;
      case 1:
        while (left > 0) {
          MPI_Waitany(8, requests, &index, &its);
          need(index >= 0 && index < 8, "an active one has ended");
          --left;
        }
        MPI_Waitany(8, requests, &index, &its);
        need(index == MPI_UNDEFINED, "none is active");
        break;
      case 2:
        while (!ended) MPI_Testall(8, requests, &ended, MPI_STATUSES_IGNORE);
        break;
      default:
        for (int i = 7; i >= 0; --i)
          for (ended = 0; !ended;) MPI_Test(&requests[i], &ended, &its);
    }
    for (int i = 0; i < 8; ++i) need(requests[i] != MPI_REQUEST_NULL, "it is inactive, not null");
    MPI_Wait(&requests[0], &its);
    need(its.MPI_SOURCE == MPI_ANY_SOURCE, "the status of an inactive one is empty");
    for (int i = 0; i < 3; ++i) sum = sum * 5 % 1000003 + sum_of(in[i], length);
    /* The barrier is not needed: rounds of one request follow each other. */
  }
  for (int i = 0; i < 8; ++i) MPI_Request_free(&requests[i]);
  MPI_Buffer_detach(&space, &(int){0});
  free(space);
  say("%ld", sum);
}

/* A persistent receive that is cancelled and started again. */
static void restarted(int rank, int size) {
  const int peer = rank ^ 1;
  int value = -1, flag = 0;
  MPI_Request request;
  MPI_Status its;
  MPI_Comm both;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &both);
  if (peer >= size) return;
  MPI_Recv_init(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &its);
  MPI_Test_cancelled(&its, &flag);
  need(flag, "it is cancelled");
  MPI_Barrier(both); /* nothing has been sent */
  for (int i = 0; i < 10; ++i) {
    MPI_Start(&request);
    MPI_Sendrecv(&i, 1, MPI_INT, peer, 0, &flag, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Wait(&request, &its);
    need(value == i, "the message of this round");
  }
  MPI_Request_free(&request);
  say("restarted");
}

const struct program persistent_programs[] = {
    {"persistent", persistent}, {"restarted", restarted}, {NULL, NULL}};

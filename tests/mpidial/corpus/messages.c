/* Calls that block. */
#include "corpus.h"

enum { most = 300000 };
static const int lengths[] = {0, 1, 7, 64, 1000, 20000, most};
enum { kinds = sizeof lengths / sizeof *lengths };
static int buffer[most], other[most];

/* Every kind of send, of every length, in a ring. */
static void ring(int rank, int size) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  const int room = (int)sizeof buffer + MPI_BSEND_OVERHEAD;
  void* space = malloc((size_t)room);
  MPI_Buffer_attach(space, room);
  for (int i = 0; i < kinds; ++i)
    for (int kind = 0; kind < 3; ++kind)
      for (int turn = 0; turn < 2; ++turn) {
        if (turn == rank % 2) {
          fill(buffer, lengths[i], rank, i);
          if (kind == 0) MPI_Send(buffer, lengths[i], MPI_INT, next, i, MPI_COMM_WORLD);
          if (kind == 1) MPI_Ssend(buffer, lengths[i], MPI_INT, next, i, MPI_COMM_WORLD);
          if (kind == 2) MPI_Bsend(buffer, lengths[i], MPI_INT, next, i, MPI_COMM_WORLD);
        } else {
          MPI_Status its;
          int count;
          MPI_Recv(other, most, MPI_INT, before, i, MPI_COMM_WORLD, &its);
          MPI_Get_count(&its, MPI_INT, &count);
          say("%d %d: %d from %d: %ld", i, kind, count, its.MPI_SOURCE, sum_of(other, count));
        }
      }
  MPI_Buffer_detach(&space, &(int){0});
  free(space);
}

/* The order of messages of one sender and tag; tags that are received in another order. */
static void order(int rank, int size) {
  enum { messages = 200 };
  (void)size;
  if (rank == 0) {
    for (int i = 0; i < messages; ++i) {
      const int data[2] = {i, i * i};
      MPI_Send(data, 2, MPI_INT, 1, i % 3, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    for (int tag = 2; tag >= 0; --tag)
      for (int i = tag; i < messages; i += 3) {
        int data[2];
        MPI_Recv(data, 2, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        need(data[0] == i && data[1] == i * i, "messages overtake none");
      }
    say("in order");
  }
}

/* Any sender, any tag. */
static void wildcards(int rank, int size) {
  enum { messages = 50 };
  if (rank != 0) {
    for (int i = 0; i < messages; ++i) {
      fill(buffer, 10, rank, i);
      MPI_Send(buffer, 10, MPI_INT, 0, i % 5, MPI_COMM_WORLD);
    }
    return;
  }
  long by_rank[64] = {0};
  for (int i = 0; i < messages * (size - 1); ++i) {
    MPI_Status its;
    MPI_Recv(other, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &its);
    need(other[0] / 100000 == its.MPI_SOURCE, "the status names the sender");
    need(other[0] / 100 % 1000 % 5 == its.MPI_TAG, "the status names the tag");
    by_rank[its.MPI_SOURCE] = by_rank[its.MPI_SOURCE] * 7 % 1000003 + sum_of(other, 10);
  }
  for (int i = 1; i < size; ++i) say("from %d: %ld", i, by_rank[i]);
}

static void exchanges(int rank, int size) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < kinds; ++i) {
    MPI_Status its;
    fill(buffer, lengths[i], rank, i);
    MPI_Sendrecv(buffer, lengths[i], MPI_INT, next, 3, other, most, MPI_INT, before, 3,
                 MPI_COMM_WORLD, &its);
    say("%d from %d: %ld", i, its.MPI_SOURCE, sum_of(other, lengths[i]));
    MPI_Sendrecv_replace(other, lengths[i], MPI_INT, before, 4, next, MPI_ANY_TAG, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    say("%d back: %ld", i, sum_of(other, lengths[i]));
  }
}

/* Messages to no process and to oneself, and calls that fail. */
static void corners(int rank, int size) {
  int value = -1, got = 0;
  MPI_Status its;
  MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &its);
  need(value == -1 && its.MPI_SOURCE == MPI_PROC_NULL, "no process sends nothing");
  MPI_Sendrecv(&rank, 1, MPI_INT, rank, 5, &value, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, &its);
  need(value == rank && its.MPI_SOURCE == rank, "a message to oneself");
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
  MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_SELF);
  MPI_Wait(&request, &its);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  need(MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS, "no such rank");
  need(MPI_Send(&rank, -1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD) != MPI_SUCCESS,
       "a count below 0 is refused");
  /* What has failed leaves nothing behind that a later message would get. */
  if (rank == 0) {
    for (int i = 0; i < 10; ++i) MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Send(buffer, 20, MPI_INT, 1, 7, MPI_COMM_WORLD);
  } else if (rank == 1) {
    for (int i = 0; i < 10; ++i) {
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      got += value;
    }
    int error_class = 0;
    MPI_Error_class(MPI_Recv(other, 10, MPI_INT, 0, 7, MPI_COMM_WORLD, &its), &error_class);
    need(error_class == MPI_ERR_TRUNCATE, "a message that is too long is cut");
  }
  say("%d", got);
}

/* Many messages that wait for their receiver, and some that are never received. */
static void unreceived(int rank, int size) {
  enum { messages = 9000 };
  (void)size;
  if (rank == 0) {
    MPI_Request* requests = malloc(messages * sizeof *requests);
    int* data = malloc(messages * sizeof *data);
    for (int i = 0; i < messages; ++i) {
      data[i] = i;
      MPI_Isend(&data[i], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Send(&rank, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 1, 10, MPI_COMM_WORLD);
    free(data);
    free(requests);
  } else if (rank == 1) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < messages; ++i) {
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      need(value == i, "messages overtake none");
    }
    say("in order");
  }
}

const struct program message_programs[] = {{"ring", ring},
                                           {"order", order},
                                           {"wildcards", wildcards},
                                           {"exchanges", exchanges},
                                           {"corners", corners},
                                           {"unreceived", unreceived},
                                           {NULL, NULL}};

/* Requests, and every way to end them. */
#include "corpus.h"

enum { most = 64, length = 500 };
static int in[most][length], out[most][length];

static int begin(int rank, int size, int messages, MPI_Request* requests, int tag) {
  int begun = 0;
  for (int i = 0; i < messages; ++i) {
    const int peer = (rank + 1 + i % (size - 1)) % size;
    MPI_Irecv(in[i], length, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[begun++]);
  }
  for (int i = 0; i < messages; ++i) {
    const int peer = (rank + size - 1 - i % (size - 1)) % size;
    fill(out[i], length, rank, i);
    MPI_Isend(out[i], length - i, MPI_INT, peer, tag, MPI_COMM_WORLD, &requests[begun++]);
  }
  return begun;
}

static void report(const char* how, int messages) {
  long sum = 0;
  for (int i = 0; i < messages; ++i) sum += sum_of(in[i], length - i);
  say("%s: %ld", how, sum);
}

static void all(int rank, int size) {
  MPI_Request requests[2 * most];
  MPI_Status statuses[2 * most];
  for (int round = 0; round < 5; ++round) {
    int count = begin(rank, size, 20, requests, round);
    MPI_Waitall(count, requests, round % 2 ? MPI_STATUSES_IGNORE : statuses);
    for (int i = 0; i < count; ++i) need(requests[i] == MPI_REQUEST_NULL, "a request has ended");
    if (round % 2 == 0)
      for (int i = 0; i < 20; ++i) need(statuses[i].MPI_TAG == round, "the status has the tag");
    report("waitall", 20);
    count = begin(rank, size, 20, requests, 100 + round);
    int ended = 0;
    while (!ended) MPI_Testall(count, requests, &ended, MPI_STATUSES_IGNORE);
    report("testall", 20);
  }
}

static void any(int rank, int size) {
  MPI_Request requests[2 * most];
  for (int round = 0; round < 4; ++round) {
    const int count = begin(rank, size, 20, requests, round);
    int left = count, seen[2 * most] = {0};
    while (left > 0) {
      int index = -1, ended = 1;
      MPI_Status its;
      if (round % 2 == 0)
        MPI_Waitany(count, requests, &index, &its);
      else
        MPI_Testany(count, requests, &index, &ended, &its);
      if (!ended) continue;
      need(index >= 0 && !seen[index]++, "each request ends once");
      if (index < 20) need(its.MPI_TAG == round, "the status has the tag");
      --left;
    }
    int index = 0, ended = 0;
    MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    need(index == MPI_UNDEFINED, "none is left");
    MPI_Testany(count, requests, &index, &ended, MPI_STATUS_IGNORE);
    need(ended && index == MPI_UNDEFINED, "none is left");
    report("any", 20);
  }
}

static void some(int rank, int size) {
  MPI_Request requests[2 * most];
  MPI_Status statuses[2 * most];
  int indices[2 * most];
  for (int round = 0; round < 4; ++round) {
    const int count = begin(rank, size, 20, requests, round);
    int left = count, seen[2 * most] = {0}, ended = 0;
    while (left > 0) {
      if (round % 2 == 0)
        MPI_Waitsome(count, requests, &ended, indices, statuses);
      else
        MPI_Testsome(count, requests, &ended, indices, MPI_STATUSES_IGNORE);
      need(ended != MPI_UNDEFINED && (ended > 0 || round % 2), "some have ended");
      for (int i = 0; i < ended; ++i) {
        need(!seen[indices[i]]++, "each request ends once");
        if (round % 2 == 0 && indices[i] < 20)
          need(statuses[i].MPI_TAG == round, "the status has the tag");
      }
      left -= ended;
    }
    MPI_Waitsome(count, requests, &ended, indices, statuses);
    need(ended == MPI_UNDEFINED, "none is left");
    report("some", 20);
  }
}

/* One by one, asked first whether it has ended. */
static void one(int rank, int size) {
  MPI_Request requests[2 * most];
  const int count = begin(rank, size, 30, requests, 0);
  for (int i = count - 1; i >= 0; --i) {
    int ended = 0, again = 0;
    MPI_Status its, same;
    while (i % 2 && !ended) MPI_Request_get_status(requests[i], &ended, &its);
    if (i % 3 == 0) {
      MPI_Wait(&requests[i], &same);
    } else {
      while (!again) MPI_Test(&requests[i], &again, &same);
    }
    if (i % 2 && i < 30) need(its.MPI_SOURCE == same.MPI_SOURCE, "the status is the same");
    need(requests[i] == MPI_REQUEST_NULL, "it has ended");
  }
  report("one", 30);
}

/* Requests that the program gives up: MPI ends them. */
static void freed(int rank, int size) {
  (void)size;
  if (rank > 1) return;
  for (int round = 0; round < 50; ++round) {
    MPI_Request request;
    int value = round, done = 1;
    static int into;
    if (rank == 0) {
      MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      MPI_Recv(&done, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Irecv(&into, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      need(request == MPI_REQUEST_NULL, "a freed request is none");
      volatile int* const seen = &into;
      while (*seen != round) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      MPI_Send(&done, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
  }
  say("freed");
}

static void cancelled(int rank, int size) {
  const int peer = rank ^ 1;
  if (peer >= size) return;
  int got = 0;
  for (int round = 0; round < 20; ++round) {
    int never = -1, value = -1, flag = 0;
    MPI_Request requests[2];
    MPI_Status its;
    /* No rank sends with that tag. */
    MPI_Irecv(&never, 1, MPI_INT, peer, 1000, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&round, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &its);
    MPI_Test_cancelled(&its, &flag);
    need(flag, "it is cancelled");
    MPI_Wait(&requests[1], &its);
    got += value;
    /* One whose message may have come: it is received, or not. */
    MPI_Irecv(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(&round, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &its);
    MPI_Test_cancelled(&its, &flag);
    if (flag) MPI_Recv(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &its);
    need(value == round, "the message of this round");
    got += value;
    /* A send: MPI sends it, or not. */
    MPI_Isend(&round, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &its);
    MPI_Test_cancelled(&its, &flag);
    if (flag) MPI_Send(&round, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, &its);
    need(value == round, "the message of this round");
  }
  say("%d", got);
}

const struct program request_programs[] = {{"all", all}, {"any", any},     {"some", some},
                                           {"one", one}, {"freed", freed}, {"cancelled", cancelled},
                                           {NULL, NULL}};

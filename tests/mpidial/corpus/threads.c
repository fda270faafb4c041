/* Several threads of each process, which send and receive at once. */
#include "corpus.h"

#include <pthread.h>

enum { threads = 3, messages = 300 };

struct part {
  int rank, size, number;
  long sum;
};

static void* exchange(void* given) {
  struct part* const own = given;
  const int next = (own->rank + 1) % own->size;
  const int before = (own->rank + own->size - 1) % own->size;
  for (int i = 0; i < messages; ++i) {
    MPI_Request requests[2];
    int value = own->rank * 1000 + i, got = -1;
    const int expected = before * 1000 + i;
    if (i % 3 == 0) {
      MPI_Sendrecv(&value, 1, MPI_INT, next, own->number, &got, 1, MPI_INT, before, own->number,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Irecv(&got, 1, MPI_INT, before, own->number, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&value, 1, MPI_INT, next, own->number, MPI_COMM_WORLD, &requests[1]);
      int ended = i % 3 == 1;
      while (!ended) MPI_Testall(2, requests, &ended, MPI_STATUSES_IGNORE);
      if (i % 3 == 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    need(got == expected, "the message of this thread and round");
    own->sum += got;
  }
  return NULL;
}

static void run_threads(int rank, int size, void* (*body)(void*)) {
  pthread_t running[threads];
  struct part parts[threads];
  for (int i = 0; i < threads; ++i) {
    parts[i] = (struct part){rank, size, i, 0};
    need(pthread_create(&running[i], NULL, body, &parts[i]) == 0, "a thread starts");
  }
  long sum = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(running[i], NULL);
    sum += parts[i].sum;
  }
  say("%ld", sum);
}

static void exchanges(int rank, int size) { run_threads(rank, size, exchange); }

/* All threads send and receive with one tag: who gets what is open, the sum is not. */
static void* share(void* given) {
  struct part* const own = given;
  const int next = (own->rank + 1) % own->size;
  for (int i = 0; i < messages; ++i) {
    MPI_Request request;
    MPI_Status its;
    MPI_Message message;
    int value = i, got = -1;
    MPI_Isend(&value, 1, MPI_INT, next, 50, MPI_COMM_WORLD, &request);
    if (i % 2 == 0) {
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &its);
    } else {
      MPI_Mprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &message, &its);
      MPI_Mrecv(&got, 1, MPI_INT, &message, &its);
    }
    own->sum += got;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

static void shared_tag(int rank, int size) { run_threads(rank, size, share); }

const struct program thread_programs[] = {
    {"thread-exchanges", exchanges}, {"thread-shared-tag", shared_tag}, {NULL, NULL}};

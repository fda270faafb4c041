/* What messages cost a program over MPI, as the usual benchmarks measure it: a ping-pong, a flood
   of windows, and the same with long messages. Prints medians in nanoseconds: of half a round
   trip, of a message in a flood, and, where messages are long, of a byte.

   usage: figures BYTES ROUNDS, on two ranks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { window = 256 };

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double median(double* of, int count) {
  qsort(of, (size_t)count, sizeof *of, by_size);
  return of[count / 2] * 1e9;
}

static double ping_pong(int rank, char* data, int bytes, int rounds, double* times) {
  for (int i = 0; i < rounds; ++i) {
    const double start = MPI_Wtime();
    if (rank == 0) MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(data, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    times[i] = (MPI_Wtime() - start) / 2;
  }
  return median(times, rounds);
}

/* A receiver that comes late to a window gets its first messages at once, so the time is that of
   the second half. */
static double flood(int rank, char* data, int bytes, int rounds, double* times) {
  MPI_Request requests[window];
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < window; ++k) {
      char* const part = data + (size_t)k * (size_t)bytes;
      if (rank == 0)
        MPI_Isend(part, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[k]);
      else
        MPI_Irecv(part, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(window / 2, requests, MPI_STATUSES_IGNORE);
    const double start = MPI_Wtime();
    MPI_Waitall(window / 2, requests + window / 2, MPI_STATUSES_IGNORE);
    times[i] = (MPI_Wtime() - start) / (window / 2);
    if (rank == 1)
      MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    else
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  double at_receiver = median(times, rounds);
  MPI_Bcast(&at_receiver, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return at_receiver;
}

/* How long a send keeps its caller, with pauses in which its receiver takes it. */
static double send_time(int rank, char* data, int bytes, int rounds, double* times) {
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      const double start = MPI_Wtime();
      MPI_Send(data, bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
      times[i] = MPI_Wtime() - start;
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(data, bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(NULL, 0, MPI_BYTE, 0, 4, MPI_COMM_WORLD);
    }
  }
  return median(times, rounds);
}

/* How long a receive keeps its caller whose message has long been there. */
static double receive_time(int rank, char* data, int bytes, int rounds, double* times) {
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      MPI_Send(data, bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Status its;
      MPI_Probe(0, 5, MPI_COMM_WORLD, &its);
      const double start = MPI_Wtime();
      MPI_Recv(data, bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      times[i] = MPI_Wtime() - start;
      MPI_Send(NULL, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
    }
  }
  double at_receiver = median(times, rounds);
  MPI_Bcast(&at_receiver, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return at_receiver;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int bytes = argc == 3 ? atoi(argv[1]) : -1, rounds = argc == 3 ? atoi(argv[2]) : 0;
  if (bytes < 0 || rounds < 1 || size != 2) {
    fprintf(stderr, "usage: figures BYTES ROUNDS, on two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  char* const data = calloc(window, (size_t)bytes + 1);
  double* const times = calloc((size_t)rounds, sizeof *times);
  (void)ping_pong(rank, data, bytes, rounds, times); /* warm */
  const double half = ping_pong(rank, data, bytes, rounds, times);
  const double sent = send_time(rank, data, bytes, rounds, times);
  const double received = receive_time(rank, data, bytes, rounds, times);
  const double gap = flood(rank, data, bytes, rounds / 100 + 1, times);
  if (rank == 0)
    printf("half_rtt %.1f send %.1f receive %.1f gap %.1f byte %.4f\n", half, sent, received, gap,
           bytes > 0 ? gap / bytes : 0);
  free(times);
  free(data);
  MPI_Finalize();
  return 0;
}

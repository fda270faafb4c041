/* A message is held back until it is due, whichever call sees it: each carries the time at which it
   was sent, on one host. Prints for each way of receiving after how many milliseconds its message
   was there, the least of three.

   usage: held, on two ranks */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

/* MPI_Wtime of two ranks need not begin at one time. */
static double clock_of_host(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double sent;
static MPI_Request request;
static int done, index_, indices[1];
static MPI_Message message;

static void begin(void) {
  MPI_Irecv(&sent, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
}
static void take(void) {
  MPI_Recv(&sent, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void by_recv(void) { take(); }
static void by_sendrecv(void) {
  MPI_Sendrecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, &sent, 1, MPI_DOUBLE, 0, MPI_ANY_TAG,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void by_wait(void) {
  begin();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void by_waitall(void) {
  begin();
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}
static void by_waitany(void) {
  begin();
  MPI_Waitany(1, &request, &index_, MPI_STATUS_IGNORE);
}
static void by_waitsome(void) {
  begin();
  MPI_Waitsome(1, &request, &done, indices, MPI_STATUSES_IGNORE);
}
static void by_test(void) {
  begin();
  for (done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}
static void by_testall(void) {
  begin();
  for (done = 0; !done;) MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
}
static void by_testany(void) {
  begin();
  for (done = 0; !done;) MPI_Testany(1, &request, &index_, &done, MPI_STATUS_IGNORE);
}
static void by_testsome(void) {
  begin();
  for (done = 0; done == 0;) MPI_Testsome(1, &request, &done, indices, MPI_STATUSES_IGNORE);
}
static void by_get_status(void) {
  begin();
  for (done = 0; !done;) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
}
static void by_probe(void) { MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void by_iprobe(void) {
  for (done = 0; !done;) MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
}
static void by_mprobe(void) {
  MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}
static void by_improbe(void) {
  for (done = 0; !done;)
    MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &done, &message, MPI_STATUS_IGNORE);
}
static void by_started(void) {
  MPI_Recv_init(&sent, 1, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/* What might leave a stamp behind that the next message would get: each needs none, or its own. */
static MPI_Comm other;

static void receive_cancelled(int rank) {
  if (rank != 1) return;
  begin();
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void receive_freed(int rank) {
  double value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
  if (rank != 1) return;
  begin();
  MPI_Request_free(&request);
}
static void send_refused(int rank) {
  if (rank != 0) return;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Send(&sent, -1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
}
static void send_elsewhere(int rank) {
  double value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1, 3, other);
}
static void take_elsewhere(void) {
  double value;
  MPI_Recv(&value, 1, MPI_DOUBLE, 0, 3, other, MPI_STATUS_IGNORE);
}

/* What has been seen, and not yet received. */
static void end_message(void) { MPI_Mrecv(&sent, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE); }
static void end_request(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static const struct {
  const char* name;
  void (*see)(void);
  void (*end)(void);
  void (*before)(int rank);
} ways[] = {{"recv", by_recv, NULL, NULL},
            {"sendrecv", by_sendrecv, NULL, NULL},
            {"wait", by_wait, NULL, NULL},
            {"waitall", by_waitall, NULL, NULL},
            {"waitany", by_waitany, NULL, NULL},
            {"waitsome", by_waitsome, NULL, NULL},
            {"test", by_test, NULL, NULL},
            {"testall", by_testall, NULL, NULL},
            {"testany", by_testany, NULL, NULL},
            {"testsome", by_testsome, NULL, NULL},
            {"started", by_started, NULL, NULL},
            {"get_status", by_get_status, end_request, NULL},
            {"probe", by_probe, take, NULL},
            {"iprobe", by_iprobe, take, NULL},
            {"mprobe", by_mprobe, end_message, NULL},
            {"improbe", by_improbe, end_message, NULL},
            {"after_cancelled", by_recv, NULL, receive_cancelled},
            {"after_freed", by_recv, NULL, receive_freed},
            {"after_refused", by_recv, NULL, send_refused},
            {"elsewhere", by_recv, take_elsewhere, send_elsewhere}};

static void send(int kind) {
  MPI_Request started;
  double now = clock_of_host();
  switch (kind) {
    case 0: MPI_Send(&now, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD); return;
    case 1: MPI_Isend(&now, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &started); break;
    default:
      MPI_Send_init(&now, 1, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, &started);
      MPI_Start(&started);
      MPI_Wait(&started, MPI_STATUS_IGNORE);
      MPI_Request_free(&started);
      return;
  }
  MPI_Wait(&started, MPI_STATUS_IGNORE);
}

/* Until what has been sent is due. */
static void pause_all(void) {
  const struct timespec rest = {0, 30000000};
  MPI_Barrier(MPI_COMM_WORLD);
  nanosleep(&rest, NULL);
}

/* The first message of the job is there before it is polled for, so nothing is known of how long
   messages take; it is found all the same. */
static void find_first(int rank) {
  const struct timespec rest = {0, 5000000};
  if (rank == 0) send(0);
  if (rank != 1) return;
  nanosleep(&rest, NULL);
  by_iprobe();
  const double seen = clock_of_host();
  take();
  printf("first %.3f\n", (seen - sent) * 1e3);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  find_first(rank);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    double least = 1e9;
    for (int round = 0; round < 3; ++round) {
      if (ways[i].before != NULL) {
        ways[i].before(rank);
        pause_all();
      }
      if (rank == 0) {
        send(round);
        MPI_Recv(NULL, 0, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        ways[i].see();
        const double seen = clock_of_host();
        if (ways[i].end != NULL) ways[i].end();
        if (seen - sent < least) least = seen - sent;
        MPI_Send(NULL, 0, MPI_INT, 0, 4, MPI_COMM_WORLD);
      }
    }
    if (rank == 1) printf("%s %.3f\n", ways[i].name, least * 1e3);
  }
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}

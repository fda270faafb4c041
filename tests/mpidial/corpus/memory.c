/* One-sided calls. */
#include "corpus.h"

static void one_sided(int rank, int size) {
  int* memory = NULL;
  MPI_Win window;
  const int next = (rank + 1) % size, zero = 0, amount = rank + 1;
  int got = -1, before = -1;
  MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &window);
  for (int i = 0; i < 4; ++i) memory[i] = zero;
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Accumulate(&amount, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Get(&got, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Fetch_and_op(&amount, &before, MPI_INT, 0, 2, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, window);
  say("%d %d %d %d", memory[0], memory[1], memory[2], got);
  MPI_Win_free(&window);
}

const struct program memory_programs[] = {{"one-sided", one_sided}, {NULL, NULL}};

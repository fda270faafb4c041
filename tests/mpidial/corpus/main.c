/* usage: corpus PROGRAM FOLDER: runs one; each rank writes its results into a file there, since
   launchers mix lines up. corpus --list: their names */
#include "corpus.h"

#include <stdarg.h>

static int my_rank;
static FILE* results;

void say(const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(results, format, values);
  va_end(values);
  fputs("\n", results);
}

void fill(int* data, int count, int from, int number) {
  for (int i = 0; i < count; ++i) data[i] = from * 100000 + number * 100 + i % 97;
}

long sum_of(const int* data, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 31 % 1000003 + data[i];
  return sum;
}

void need(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: not so: %s\n", my_rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  const struct program* const all[] = {
      message_programs,      request_programs,    probe_programs,  persistent_programs,
      communicator_programs, collective_programs, thread_programs, memory_programs};
  const int lists = (int)(sizeof all / sizeof *all);
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (int i = 0; i < lists; ++i)
      for (const struct program* one = all[i]; one->name != NULL; ++one) puts(one->name);
    return 0;
  }
  int provided = 0, size = 0, found = 0;
  if (argc == 3 && strncmp(argv[1], "thread", 6) == 0) {
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    need(provided == MPI_THREAD_MULTIPLE, "this MPI is for several threads");
  } else {
    MPI_Init(&argc, &argv);
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  need(argc == 3, "usage: corpus PROGRAM FOLDER");
  char file[4096];
  snprintf(file, sizeof file, "%s/%d", argv[2], my_rank);
  results = fopen(file, "w");
  need(results != NULL, "the folder is there");
  for (int i = 0; i < lists; ++i)
    for (const struct program* one = all[i]; one->name != NULL; ++one)
      if (strcmp(argv[1], one->name) == 0) {
        one->run(my_rank, size);
        found = 1;
      }
  need(found, "there is a program of that name");
  fclose(results);
  MPI_Finalize();
  return 0;
}

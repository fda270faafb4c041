/* Small programs over MPI, each a function here: what one prints is the same in every run, dialled
   or not. */
#ifndef CORPUS_H
#define CORPUS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
  const char* name;
  void (*run)(int rank, int size);
};

/* One line of a rank's results. */
void say(const char* format, ...);
/* Numbers that a message carries, made from who sends it and which one it is. */
void fill(int* data, int count, int from, int number);
long sum_of(const int* data, int count);
/* Ends the job if that is not so. */
void need(int holds, const char* what);

extern const struct program message_programs[], request_programs[], probe_programs[],
    persistent_programs[], communicator_programs[], collective_programs[], thread_programs[],
    memory_programs[];

#endif

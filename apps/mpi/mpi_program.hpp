// The main function of the MPI programs of the suite.
#pragma once

#include "../common/options.hpp"
#include "../common/report.hpp"

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

#ifndef APPS_MPI  // the name of this MPI, by CMakeLists.txt
#define APPS_MPI "mpi"
#endif

namespace apps {

inline std::size_t count_ranks() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return static_cast<std::size_t>(ranks);
}
inline std::size_t own_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return static_cast<std::size_t>(rank);
}

inline std::uint64_t sum_over_ranks(std::uint64_t one) {
  MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return one;
}

// The datatype of a T, as bytes.
template <class T>
class datatype_of {
 public:
  datatype_of() {
    MPI_Type_contiguous(sizeof(T), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~datatype_of() { MPI_Type_free(&type_); }
  datatype_of(const datatype_of&) = delete;
  datatype_of& operator=(const datatype_of&) = delete;

  [[nodiscard]] MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// As the Split-C programs: made with this rank's part of the input, then run(phases&), then
// check().
template <class Program>
run run_once(const options& from, std::size_t size) {
  Program program(from, size);
  MPI_Barrier(MPI_COMM_WORLD);
  phases times;
  const auto start = std::chrono::steady_clock::now();
  program.run(times);
  times.end();
  run one;
  one.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  one.parts = times.all();
  const auto longest = [](double& seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  };
  longest(one.seconds);
  for (phases::phase& part : one.parts) longest(part.seconds);
  int right = program.check() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  one.right = right == 1;
  return one;
}

template <class Program>
int mpi_main(const description& of, int argc, char** argv) try {
  options from;
  if (const auto ended = read_options(of, argc, argv, from)) return *ended;
  MPI_Init(&argc, &argv);
  const std::size_t size = total_size(of, from, count_ranks());
  report to(of, from, APPS_MPI, count_ranks(), size);
  bool right = true;
  for (unsigned i = 0; i < from.samples; ++i) {
    const run one = run_once<Program>(from, size);
    right = right && one.right;
    if (own_rank() == 0) to.add(one);
  }
  if (own_rank() == 0) to.finish();
  MPI_Finalize();
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", of.of.name, e.what());
  return 1;
}

}  // namespace apps

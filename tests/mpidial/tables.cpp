// What needs no MPI: the table of handles, the model of collective calls, times by size, and which
// MPI a launcher belongs to.
#include <libam/base/dials.hpp>
#include <libam/tools/am-dial/launcher.hpp>
#include <mpidial/collective_model.hpp>
#include <mpidial/flights.hpp>
#include <mpidial/handle_table.hpp>

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace am::detail;
using namespace am::detail::mpidial;

TEST_CASE("a table of handles has what was put in and not erased") {
  handle_table<int> table;
  std::map<std::uint64_t, int> model;
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t handle = (1 + random() % 500) * 64;
    if (random() % 3 == 0) {
      table.erase(handle);
      model.erase(handle);
    } else {
      table.put(handle, i);
      model[handle] = i;
    }
    const std::uint64_t other = (1 + random() % 500) * 64;
    const int* const found = table.find(other);
    REQUIRE((found != nullptr) == model.contains(other));
    if (found != nullptr) REQUIRE(*found == model[other]);
    REQUIRE(table.empty() == model.empty());
  }
}

TEST_CASE("the model of collective calls") {
  base::dials by;
  by.o_s = 1;
  by.o_r = 2;
  by.L = 10;
  CHECK(added_time(by, {collective_shape::tree, 1, 0}) == 0);
  CHECK(added_time(by, {collective_shape::tree, 2, 0}) == 13);
  CHECK(added_time(by, {collective_shape::tree, 5, 0}) == 39);
  CHECK(added_time(by, {collective_shape::exchange, 5, 0}) == 4 * 3 + 10);
  by.g_r = 20;
  CHECK(added_time(by, {collective_shape::tree, 5, 0}) == 60);
  CHECK(added_time(by, {collective_shape::exchange, 5, 0}) == 4 * 20 + 10);
  by = {};
  by.G = 2;
  CHECK(added_time(by, {collective_shape::tree, 4, 2000}) == 4000);
  CHECK(added_time(by, {collective_shape::tree, 4, 512}) == 0);  // two rounds of the threshold
}

TEST_CASE("a size that is not known takes as long as the nearest smaller one that is") {
  flights of;
  CHECK(of.median(size_class_of(1000)) == 0);
  of.add(size_class_of(8), 500);
  CHECK(of.median(size_class_of(1000)) == 500);
  CHECK(of.median(size_class_of(0)) == 0);
  of.add(size_class_of(1000), 900);
  CHECK(of.median(size_class_of(600)) == 900);
  CHECK(of.median(size_class_of(100)) == 500);
}

TEST_CASE("launchers by their files") {
  CHECK(dial::mpi_of_file("orterun") == "openmpi");
  CHECK(dial::mpi_of_file("mpirun.openmpi") == "openmpi");
  CHECK(dial::mpi_of_file("mpiexec.hydra") == "mpich");
  CHECK(dial::mpi_of_file("mpirun.mpich") == "mpich");
  CHECK(dial::mpi_of_file("mpirun").empty());
  CHECK(dial::mpi_of_file("sh").empty());
}

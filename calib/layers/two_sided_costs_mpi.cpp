// two-sided-costs-openmpi and -mpich: two_sided_costs.hpp over MPI, for the same launchers.
#include <calib/layers/mpi_job.hpp>
#include <calib/layers/two_sided_costs.hpp>
#include <calib/layers/two_sided_mpi.hpp>

#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    calib::two_sided_mpi library(MPI_COMM_WORLD);
    if (library.ranks() != 2)
      calib::report::fault("needs 2 processes, has " + std::to_string(library.ranks()));
    calib::two_sided_costs(library).measure();
  }
  calib::leave_mpi();
}

// Joining a job whose launcher brings a PMIx server along: mpirun of Open MPI, `srun --mpi=pmix`.
#pragma once

#include <libam/seam/module.hpp>

namespace am::detail::pmix {

// The evidence in the environment has been looked at. Waits until every rank has come so far.
seam::join_job join;

}  // namespace am::detail::pmix

// Joins a job whose launcher has a PMIx server: mpirun of Open MPI, `srun --mpi=pmix`.
#pragma once

#include <libam/seam/module.hpp>

namespace am::detail::pmix {

// choose_boot() has checked the environment. Waits until every rank has called it.
seam::join_job_fn join;

}  // namespace am::detail::pmix

// The check of the MPI programs that sort.
#pragma once

#include "../common/keys.hpp"
#include "mpi_program.hpp"

namespace apps {

// Collective.
inline bool are_sorted(std::span<const sort_key> mine, const key_hash& input) {
  const auto gather = [](const last_key& one) {
    std::vector<last_key> all(count_ranks());
    MPI_Allgather(&one, sizeof one, MPI_BYTE, all.data(), sizeof one, MPI_BYTE, MPI_COMM_WORLD);
    return all;
  };
  return are_sorted(mine, input, own_rank(), gather, sum_over_ranks);
}

}  // namespace apps

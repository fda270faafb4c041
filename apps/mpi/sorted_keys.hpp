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
  const auto sum = [](std::uint64_t one) {
    MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return one;
  };
  return are_sorted(mine, input, own_rank(), gather, sum);
}

}  // namespace apps

// What mpirun does, by the settings that it gives each rank.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace am::detail::pmix {

inline bool under_mpirun() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

// When a rank dies. `mpirun --enable-recovery`, or the variable set by the user: the others go on.
inline bool mpirun_recovers() {
  const char* const setting = std::getenv("OMPI_MCA_orte_enable_recovery");
  if (setting == nullptr || !under_mpirun()) return false;
  constexpr std::string_view yes[] = {"1", "true", "t", "yes", "enabled"};
  return std::ranges::find(yes, std::string_view(setting)) != std::end(yes);
}

}  // namespace am::detail::pmix

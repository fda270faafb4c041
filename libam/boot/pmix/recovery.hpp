// What mpirun does when a rank dies, as it tells each.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace am::detail::pmix {

// `mpirun --enable-recovery`, or what a user has set in its place: the others go on.
inline bool mpirun_recovers() {
  const char* const told = std::getenv("OMPI_MCA_orte_enable_recovery");
  if (told == nullptr || std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr) return false;
  constexpr std::string_view yes[] = {"1", "true", "t", "yes", "enabled"};
  return std::ranges::find(yes, std::string_view(told)) != std::end(yes);
}

}  // namespace am::detail::pmix

#include <mpidial/refuse.hpp>

#include <libam/base/format.hpp>
#include <mpidial/mpi.hpp>

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace am::detail::mpidial {

void say(std::string_view text) noexcept {
  const std::string line = base::format("am-dial: {}\n", text);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void give_up(std::string_view text) noexcept {
  say(text);
  PMPI_Abort(MPI_COMM_WORLD, 2);
  std::_Exit(2);
}

}  // namespace am::detail::mpidial

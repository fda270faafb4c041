// The expedited form interrupts the cores that run registered processes, 0.3 us; the other one
// waits until every core passes the scheduler, 10 ms.
#include <libam/base/membarrier.hpp>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace am::detail::base {
namespace {

long membarrier(int command) noexcept { return ::syscall(__NR_membarrier, command, 0, 0); }

}  // namespace

bool register_membarrier() noexcept {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
  return registered;
}

bool issue_membarrier() noexcept { return membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0; }

}  // namespace am::detail::base

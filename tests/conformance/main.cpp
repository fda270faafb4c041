// The conformance suite as an ordinary program:
//   am-run -n N test-conformance [SHARE [PART OF A CASE NAME]]
// does one part in SHARE of the work. With LIBAM_TEST_DENY the kernel refuses to copy between the
// ranks.
#include "../support/deny.hpp"
#include "../support/suite.hpp"
#include "../support/watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "joining");
  if (std::getenv("LIBAM_TEST_DENY") != nullptr && !am_test::deny_process_vm())
    std::fprintf(stderr, "this kernel cannot refuse system calls: none are\n");
  const int share = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  am_test::session job([&] { return am::join(argc, argv); }, static_cast<unsigned>(share));
  const int result = am_test::run_cases(job, false, argc > 2 ? argv[2] : "");
  am_test::feed_watchdog(60, "leaving");
  job.leave();
  return result;
}

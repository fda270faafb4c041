// The conformance suite as an ordinary program:
//   am-run -n N test-conformance [SHARE [PART OF A CASE NAME]]
// does the work divided by SHARE. With LIBAM_TEST_DENY=calls|dumping the kernel refuses to copy
// between the ranks: by a system call filter, or because they are not dumpable.
#include "../support/deny.hpp"
#include "../support/suite.hpp"
#include "../support/watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "joining");
  const char* const denied = std::getenv("LIBAM_TEST_DENY");
  if (denied != nullptr && !(denied == std::string_view("dumping") ? am_test::be_undumpable()
                                                                   : am_test::deny_process_vm()))
    std::fprintf(stderr, "this kernel cannot refuse %s: none are\n", denied);
  const int share = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  am_test::session job([&] { return am::join(argc, argv); }, static_cast<unsigned>(share));
  const int result = am_test::run_cases(job, false, argc > 2 ? argv[2] : "");
  am_test::feed_watchdog(60, "leaving");
  job.leave();
  return result;
}

// The conformance suite as an ordinary program:
//   am-run -n N test-conformance [SHARE [PART OF A CASE NAME]]
// does one part in SHARE of the work.
#include "../support/suite.hpp"
#include "../support/watchdog.hpp"

#include <algorithm>
#include <cstdlib>

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "joining");
  const int share = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  am_test::session job([&] { return am::join(argc, argv); }, static_cast<unsigned>(share));
  const int result = am_test::run_cases(job, false, argc > 2 ? argv[2] : "");
  am_test::feed_watchdog(60, "leaving");
  job.leave();
  return result;
}

// The suite of the global clock as an ordinary program: am-run -n N test-clock [SHARE [PART OF A
// CASE NAME]] does the work divided by SHARE.
#include "../support/suite.hpp"
#include "../support/watchdog.hpp"

#include <algorithm>
#include <cstdlib>

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "joining");
  am::endpoint ep = am::join(argc, argv);
  const int share = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  am_test::session job(ep, static_cast<unsigned>(share));
  const int result = am_test::run_cases(job, false, argc > 2 ? argv[2] : "");
  am_test::feed_watchdog(60, "leaving");
  return result;
}

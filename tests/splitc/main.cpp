// The suite of Split-C as an ordinary program: am-run -n N test-splitc [SHARE [PART OF A CASE
// NAME]] does the work divided by SHARE.
#include "../support/watchdog.hpp"
#include "job.hpp"

#include <algorithm>
#include <cstdlib>

int main(int argc, char** argv) {
  am_test::feed_watchdog(60, "joining");
  am::splitc::world w(argc, argv);
  splitc_test::the_world = &w;
  const int share = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  am_test::session job(w.endpoint(), static_cast<unsigned>(share));
  const int result = am_test::run_cases(job, false, argc > 2 ? argv[2] : "");
  am_test::feed_watchdog(60, "leaving");
  return result;
}

// Log lines: their form, and which levels are written.
#include "capture.hpp"

#include <libam/base/log.hpp>

#include <doctest/doctest.h>

using namespace am::detail;
using base::log_level;

TEST_CASE("before the join a log line has no rank") {
  am_test::captured_errors errors;
  base::log(log_level::warn, "{} and {}", 1, 2);
  CHECK(errors.text() == "am: warn: 1 and 2\n");
}

TEST_CASE("after the join a log line has the rank, and the level is respected") {
  base::set_log(log_level::info, 3);
  am_test::captured_errors errors;
  base::log(log_level::error, "bad");
  base::log(log_level::info, "shown");
  base::log(log_level::debug, "hidden");
  CHECK(errors.text() == "am[3]: error: bad\nam[3]: info: shown\n");
  base::set_log(log_level::none, 3);
  base::log(log_level::error, "hidden, too");
  CHECK(errors.text() == "am[3]: error: bad\nam[3]: info: shown\n");
  base::set_log(log_level::warn, base::no_rank);
}

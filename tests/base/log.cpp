// Log lines: their form, and which are said.
#include "capture.hpp"

#include <libam/base/log.hpp>

#include <doctest/doctest.h>

using namespace am::detail;
using base::log_level;

TEST_CASE("before the join a line has no rank") {
  am::test::captured_errors errors;
  base::log(log_level::warn, "{} and {}", 1, 2);
  CHECK(errors.text() == "am: warn: 1 and 2\n");
}

TEST_CASE("after it a line has one, and the limit holds") {
  base::set_log(log_level::info, 3);
  am::test::captured_errors errors;
  base::log(log_level::error, "bad");
  base::log(log_level::info, "told");
  base::log(log_level::debug, "not told");
  CHECK(errors.text() == "am[3]: error: bad\nam[3]: info: told\n");
  base::set_log(log_level::none, 3);
  base::log(log_level::error, "not told either");
  CHECK(errors.text() == "am[3]: error: bad\nam[3]: info: told\n");
  base::set_log(log_level::warn, base::no_rank);
}

// The library and am-calibrate each have the rules of a kept profile: where it is, and of which
// machine. They agree.
#include "made_profiles.hpp"

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/profile/profile_store.hpp>

#include <libam/profile/lookup.hpp>

#include <doctest/doctest.h>

#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace profile = am::detail::profile;

TEST_CASE("a profile with am-calibrate's fingerprint of this machine fits") {
  am_test::made_profile made;
  made.fingerprint = calib::fingerprint_of(calib::this_machine());
  CHECK(profile::judge(made.text(), "shm", profile::this_machine()).why_not == "");
}

TEST_CASE("both look for a profile in the same places, as any user") {
  constexpr uid_t somebody = 65534;
  const uid_t own = ::geteuid();
  CHECK(profile::places() == calib::profile_places());
  if (own == 0 && ::seteuid(somebody) != 0) return;
  for (const char* folder : {"/somewhere", "not/absolute", ""}) {
    ::setenv("XDG_STATE_HOME", folder, 1);
    CHECK(profile::places().size() == 2);
    CHECK(profile::places() == calib::profile_places());
  }
  ::unsetenv("XDG_STATE_HOME");
  ::unsetenv("HOME");
  CHECK(profile::places() == calib::profile_places());
  if (own == 0) REQUIRE(::seteuid(own) == 0);
}

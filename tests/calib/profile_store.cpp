// Where profiles are kept, and which machine they are of.
#include <calib/driver/profile/profile_store.hpp>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

TEST_CASE("a user's profile is in the user's state folder, root's is for every user") {
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    CHECK(calib::default_profile_path() == "/var/lib/am/profile.json");
    CHECK(calib::profile_places() == std::vector<std::string>{"/var/lib/am/profile.json"});
    REQUIRE(::seteuid(65534) == 0);
  }
  ::setenv("HOME", "/home/somebody", 1);
  ::setenv("XDG_STATE_HOME", "relative", 1);
  CHECK(calib::default_profile_path() == "/home/somebody/.local/state/am/profile.json");
  ::setenv("XDG_STATE_HOME", "/far/away", 1);
  CHECK(calib::default_profile_path() == "/far/away/am/profile.json");
  CHECK(calib::profile_places() ==
        std::vector<std::string>{"/far/away/am/profile.json", "/var/lib/am/profile.json"});
  ::unsetenv("XDG_STATE_HOME");
  if (is_root) REQUIRE(::seteuid(0) == 0);
}

TEST_CASE("a fingerprint differs between machines, not between patches of a kernel") {
  calib::machine one;
  one.cpu = "CPU";
  one.cores = 2;
  one.kernel = "Linux 6.18.44-x";
  calib::machine patched = one;
  patched.kernel = "Linux 6.19.1";
  calib::machine larger = one;
  larger.cores = 4;
  CHECK(calib::fingerprint_of(one) == calib::fingerprint_of(patched));
  CHECK(calib::fingerprint_of(one) != calib::fingerprint_of(larger));
  CHECK(calib::fingerprint_of(one).find("Linux 6;") != std::string::npos);
}

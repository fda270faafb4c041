// When a machine is measured without a request to measure it.
#include <calib/driver/profile/once.hpp>

#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_store.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "profiles.hpp"

using calib::end_early;
using calib::measures_at_show;

namespace {

constexpr calib::readiness idle{0.1, 2, 2};
constexpr calib::readiness busy{0.5, 2, 2};
constexpr calib::readiness one_cpu{0, 2, 1};

// libam can use it.
calib::profile usable_profile() {
  calib::profile out = known_profile();
  out.complete = true;
  return out;
}

}  // namespace

TEST_CASE("with --if-missing an idle machine without a fitting profile is measured, no other") {
  const scratch files;
  const std::string none = files.path("none.json"), kept = files.path("kept.json");
  CHECK_FALSE(end_early({none}, "this machine", idle));
  CHECK(end_early({none}, "this machine", busy) == calib::unfit);
  CHECK(end_early({none}, "this machine", one_cpu) == calib::impossible);

  std::ofstream(kept) << calib::json_of(usable_profile());
  for (const calib::readiness now : {idle, busy, one_cpu})
    CHECK(end_early({none, kept}, "this machine", now) == calib::good);
  CHECK_FALSE(end_early({none, kept}, "another machine", idle));
  CHECK(end_early({none, kept}, "another machine", busy) == calib::unfit);
}

TEST_CASE("with --if-missing a profile that libam cannot use counts as missing") {
  const scratch files;
  const std::string old = files.path("old.json"), kept = files.path("kept.json");
  const std::string text = calib::json_of(usable_profile());
  auto older = nlohmann::json::parse(text);
  REQUIRE(older.erase("runtime") == 1);
  std::ofstream(old) << older;
  CHECK_FALSE(end_early({old}, "this machine", idle));
  CHECK(end_early({old}, "this machine", busy) == calib::unfit);

  std::ofstream(kept) << text;
  CHECK(end_early({old, kept}, "this machine", idle) == calib::good);
  CHECK(calib::find_profile({old, kept}, "this machine")->place == kept);
  CHECK(calib::find_profile({kept, old}, "this machine")->place == kept);
  const std::string twin = files.path("twin.json");
  std::filesystem::copy(old, twin);
  CHECK(calib::find_profile({old, twin}, "this machine")->place == old);
}

TEST_CASE("with --if-missing a profile of self alone counts as missing, and an unfit one") {
  const scratch files;
  const std::string kept = files.path("kept.json");
  calib::profile self = usable_profile();
  self.layers = {known_layer({"am-self", "self"})};
  calib::profile unfit = usable_profile();
  unfit.unfit.emplace_back("others ran");
  for (const calib::profile& one : {self, unfit}) {
    std::ofstream(kept) << calib::json_of(one);
    CHECK_FALSE(end_early({kept}, "this machine", idle));
    CHECK(end_early({kept}, "this machine", busy) == calib::unfit);
  }
}

TEST_CASE("show measures for a person, where there is no profile and no timer brings one") {
  const scratch files;
  const std::string none = files.path("none.json"), kept = files.path("kept.json");
  std::ofstream(kept) << "{}";
  const calib::occasion a_person{true, false, false, true};
  CHECK(measures_at_show({none}, a_person, idle));
  CHECK_FALSE(measures_at_show({none, kept}, a_person, idle));
  CHECK_FALSE(measures_at_show({none}, a_person, busy));
  CHECK_FALSE(measures_at_show({none}, a_person, one_cpu));
  for (const calib::occasion other : {calib::occasion{false, false, false, true},
                                      {true, true, false, true},
                                      {true, false, true, true},
                                      {true, false, false, false}})
    CHECK_FALSE(measures_at_show({none}, other, idle));
}

TEST_CASE("the setting of the packages is that of the last assignment") {
  CHECK(calib::forbids_measuring("measure=no\n"));
  CHECK(calib::forbids_measuring("# text\nmeasure=yes\nmeasure=\"no\""));
  CHECK_FALSE(calib::forbids_measuring("measure=no\nmeasure=yes\n"));
  CHECK_FALSE(calib::forbids_measuring("#measure=no\n"));
  CHECK_FALSE(calib::forbids_measuring(""));
}

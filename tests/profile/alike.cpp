// The library and am-calibrate each have the rules of a kept profile: where it is, and of which
// machine. They agree.
#include "made_profiles.hpp"

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_store.hpp>

#include <libam/profile/lookup.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <string>

namespace profile = am::detail::profile;

TEST_CASE("a profile with am-calibrate's fingerprint of this machine fits") {
  am_test::made_profile made;
  made.fingerprint = calib::fingerprint_of(calib::this_machine());
  CHECK(profile::judge(made.text(), "shm", profile::this_machine()).why_not == "");
}

namespace {

// What libam's reader finds in it.
profile::document read(const std::string& text) {
  profile::document out;
  REQUIRE(profile::read_document(text, "shm", out) == "");
  return out;
}

calib::profile with_costs() {
  const auto about = [](double ns) { return calib::estimate{ns, std::nullopt, 6}; };
  calib::profile out;
  out.complete = true;
  calib::layer_profile& shm = out.layers.emplace_back();
  shm.layer = {"am-shm", "shm"};
  for (const char* name : {"o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt"})
    shm.logp.parameters.push_back({name, about(static_cast<double>(*name)), ""});
  shm.sizes = {{"store", 64, about(1), about(2), about(3)},
               {"medium", 64, about(4), about(5), about(6)},
               {"medium", 256, about(7), about(8), about(9)}};
  shm.wake_up = about(27000);
  return out;
}

}  // namespace

TEST_CASE("libam finds the same in what am-calibrate writes for it and in the rest of a profile") {
  const calib::profile of = with_costs();
  const std::string text = calib::json_of(of);
  const std::size_t end = text.find("\"machine\"");
  REQUIRE(end != std::string::npos);
  const profile::document first = read(text.substr(0, end));
  std::string others = text;
  others.replace(others.find("\"runtime\""), 9, "\"another\"");
  const profile::document whole = read(others);
  CHECK(first.complete);
  REQUIRE(first.costs.has_value());
  REQUIRE(first.costs->mediums.size() == 2);
  CHECK(first.costs->o_s == 'o');
  CHECK(first.costs->mediums[1].T == 9);
  CHECK(first.costs->wake_up == 27000);
  CHECK(first == whole);
}

TEST_CASE("both find that libam can use a profile, or that it cannot") {
  using nlohmann::json;
  calib::profile of = with_costs();
  of.fingerprint = calib::fingerprint_of(calib::this_machine());
  const json whole = json::parse(calib::json_of(of));
  const auto agree = [](const json& one, bool usable) {
    CAPTURE(one["runtime"].dump());
    std::string problem;
    const auto found = calib::parse_profile(one.dump(), problem);
    REQUIRE(found);
    CHECK(found->has_runtime == usable);
    // As far as libam reads a file that begins as am-calibrate writes it.
    json first;
    for (const char* key : {"schema", "fingerprint", "runtime"}) first[key] = one[key];
    const profile::verdict verdict = profile::judge(first.dump(), "shm", profile::this_machine());
    CHECK(verdict.why_not.empty() == usable);
  };
  agree(whole, true);
  const auto with = [&](const std::string& at, const json& value) {
    json other = whole;
    other["runtime"][json::json_pointer(at)] = value;
    return other;
  };
  agree(with("/complete", false), false);
  agree(with("/complete", 1), false);
  agree(with("/transports", json::object()), false);
  agree(with("/transports", {{"self", whole["runtime"]["transports"]["shm"]}}), false);
  for (const std::string name : {"o_s", "g", "rtt"})
    for (const json& value : {json(nullptr), json(0), json(-1), json("x")})
      agree(with("/transports/shm/logp/" + name + "/median", value), false);
  agree(with("/transports/shm/logp/g/unit", "us"), false);
  agree(with("/transports/shm/logp/o_r/median", nullptr), true);
  agree(with("/transports/shm/by_size", json::array()), true);
  // A value that is not needed, but that libam reads.
  const std::string size = "/transports/shm/by_size/0";
  const std::string times[] = {"/transports/shm/logp/rtt", "/transports/shm/logp/o_r",
                               "/transports/shm/wake_up", size + "/o", size + "/T"};
  for (const std::string& at : times) {
    agree(with(at + "/unit", "us"), false);
    agree(with(at + "/unit", nullptr), false);
    agree(with(at + "/median", 1e9), true);
    for (const json& median : {json(1.1e9), json(-1.1e9), json("x"), json(true)})
      agree(with(at + "/median", median), false);
    for (const json& value : {json(nullptr), json(1), json{{"unit", "ns"}}})
      agree(with(at, value), false);
    agree(with(at, {{"median", 5}}), true);
  }
  agree(with(size + "/g/median", nullptr), true);
  agree(with(size + "/bytes", "x"), false);
  agree(with(size + "/bytes", -1), true);
  agree(with(size + "/operation", 1), false);
  agree(with(size + "/operation", "x"), true);
  agree(with(size, 1), false);
  agree(with("/transports/shm/by_size", json::object()), false);
  agree(with("/transports/shm", 1), false);
}

TEST_CASE("a profile of an unfit machine says so in what it has for libam") {
  calib::profile of = with_costs();
  of.unfit.emplace_back("others ran");
  CHECK_FALSE(read(calib::json_of(of)).complete);
  of.unfit.clear();
  of.complete = false;
  CHECK_FALSE(read(calib::json_of(of)).complete);
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

// Which of the kept profiles is used.
#include "../base/fake_root.hpp"
#include "made_profiles.hpp"

#include <libam/base/format.hpp>
#include <libam/profile/lookup.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace am::detail::profile;
using am_test::fake_root;
using am_test::made_profile;

namespace {

std::string fitting(made_profile made = {}) {
  const machine mine = this_machine();
  made.fingerprint = am::detail::base::format("{}; {} cores; L1; KVM; {}; libam {}; UCX none",
                                              mine.cpu, mine.cores, mine.kernel, mine.version);
  return made.text();
}

std::string stopped() {
  made_profile made;
  made.complete = "false";
  return made.text();
}

}  // namespace

TEST_CASE("the first kept profile that fits is used, whatever is before it") {
  const std::string good = fitting();
  for (const std::string& before : {stopped(), std::string("no profile"), std::string()}) {
    fake_root in;
    in.with("/own", before).with("/of_machine", good);
    const finding one = look_up(automatic, "shm", {in.root() + "/own", in.root() + "/of_machine"});
    CHECK(one.file == in.root() + "/of_machine");
    CHECK(one.found.why_not == "");
    CHECK(one.found.costs.has_value());
  }
}

TEST_CASE("libam's part comes first, and nothing behind it is read") {
  made_profile made;
  made.before = R"("runtime":{"complete":true,"transports":{"shm":{"logp":{"o_s":)" +
                am_test::value("11") + R"(,"g":)" + am_test::value("12") + R"(,"rtt":)" +
                am_test::value("300") + R"(},"by_size":[]}}},)";
  std::string text = fitting(made);
  text.resize(text.find("\"conditions\""));
  fake_root in;
  in.with("/own", text + std::string(100'000, '}'));
  const finding one = look_up(automatic, "shm", {in.root() + "/own"});
  CHECK(one.found.why_not == "");
  REQUIRE(one.found.costs.has_value());
  CHECK(one.found.costs->o_s == 11);
}

TEST_CASE("a long profile without that part is read if it is named, and not in each join") {
  fake_root in;
  std::string long_one = fitting();
  long_one.insert(long_one.find("[1.5,"), std::string(100000, ' '));
  in.with("/own", long_one);
  CHECK(look_up(in.root() + "/own", "shm").found.why_not == "");
  CHECK(look_up(automatic, "shm", {in.root() + "/own"})
            .found.why_not.ends_with(" bytes, of which the first 16384 say nothing for libam: "
                                     "measure again, by am-calibrate"));
  const std::size_t end = long_one.rfind('}');
  in.with("/own", long_one.substr(0, end));
  CHECK(look_up(in.root() + "/own", "shm").found.why_not.starts_with("this is no profile: "));
}

TEST_CASE("of two kept profiles that fit the user's own is used") {
  fake_root in;
  in.with("/own", fitting()).with("/of_machine", fitting());
  CHECK(look_up(automatic, "shm", {in.root() + "/own", in.root() + "/of_machine"}).file ==
        in.root() + "/own");
}

TEST_CASE("if no kept profile fits, the first says why") {
  fake_root in;
  in.with("/own", "no profile").with("/of_machine", stopped());
  const finding one = look_up(automatic, "shm",
                              {in.root() + "/none", in.root() + "/own", in.root() + "/of_machine"});
  CHECK(one.file == in.root() + "/own");
  CHECK(one.found.why_not.starts_with("this is no profile: "));
  const finding none = look_up(automatic, "shm", {in.root() + "/a", in.root() + "/b"});
  CHECK(none.file == "");
  CHECK(none.found.why_not == "none is kept in " + in.root() + "/a or " + in.root() + "/b");
}

TEST_CASE("a named profile is the only one") {
  fake_root in;
  in.with("/named", "no profile").with("/of_machine", fitting());
  const finding one = look_up(in.root() + "/named", "shm", {in.root() + "/of_machine"});
  CHECK(one.file == in.root() + "/named");
  CHECK(one.found.why_not != "");
  CHECK(look_up(in.root() + "/nowhere", "shm", {in.root() + "/of_machine"}).found.why_not ==
        "No such file or directory");
}

// Which conditions of two profiles are compared, and what is not.
#include "profiles.hpp"

#include <calib/driver/measure/line_conditions.hpp>
#include <calib/driver/profile/comparison.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

using calib::line_condition;

namespace {

// A known profile in conditions in which a line takes so long. Its rtt is 300 in the first, and 50
// longer in each further one.
calib::profile profile_in(std::initializer_list<double> lines) {
  calib::profile out = known_profile();
  out.layers.push_back(known_layer({"am-self", "self"}));
  double share = 0.5;
  for (const double ns : lines) {
    const line_condition is{ns, ns * 0.9, ns * 1.1, share};
    share /= 2;
    if (!out.condition) {
      out.condition = is;
      continue;
    }
    calib::condition_profile other{is, {known_layer({"am-shm", "shm"})}};
    const double longer = 50.0 * static_cast<double>(out.others.size() + 1);
    std::ranges::find(other.layers[0].logp.parameters, "rtt", &calib::logp::parameter::name)
        ->value = about(300 + longer, 8);
    out.others.push_back(std::move(other));
  }
  return out;
}

calib::compared_parameter compared(const calib::comparison& from, const char* layer,
                                   const char* name) {
  const auto& all = std::ranges::find(from.layers, layer, &calib::compared_layer::name)->parameters;
  return *std::ranges::find(all, name, &calib::compared_parameter::name);
}

}  // namespace

TEST_CASE("profiles are compared in the condition that both have had most") {
  const auto same = calib::compare(profile_in({93, 390}), profile_in({95, 400}));
  CHECK(same.conditions == "compared where a cache line takes 93 ns in A and 95 ns in B");
  CHECK(compared(same, "shm", "rtt").outcome == calib::outcome::same);
  const auto crossed = calib::compare(profile_in({93, 390}), profile_in({390, 200}));
  CHECK(crossed.conditions == "compared where a cache line takes 390 ns in A and 390 ns in B");
  CHECK(compared(crossed, "shm", "rtt").before->median == 350);
  CHECK(compared(crossed, "shm", "rtt").after->median == 300);
  CHECK(compared(crossed, "self", "rtt").before->median == 300);
  CHECK(compared(crossed, "tcp", "rtt").reason ==
        "of another condition in A, of one condition in B");
  CHECK(crossed.why_not_judged().empty());
}

TEST_CASE("figures of all conditions at once are compared with such alone") {
  const calib::profile plain = profile_in({93});
  calib::profile mixed = plain;
  for (const char* name : {"shm", "self"})
    std::ranges::find(mixed.layers, name, &calib::layer_profile::name)->of_all_conditions = true;
  const auto found = calib::compare(mixed, plain);
  CHECK(compared(found, "shm", "rtt").outcome == calib::outcome::unknown);
  CHECK(compared(found, "shm", "rtt").reason ==
        "of all conditions at once in A, of one condition in B");
  CHECK(compared(found, "tcp", "rtt").outcome == calib::outcome::same);
  CHECK(compared(found, "self", "rtt").outcome == calib::outcome::same);
  CHECK(found.why_not_judged().empty());
  CHECK(compared(calib::compare(mixed, mixed), "shm", "rtt").outcome == calib::outcome::same);
}

TEST_CASE("what both profiles have of other conditions than the common one is not compared") {
  const auto found = calib::compare(profile_in({93, 390}), profile_in({200, 390}));
  CHECK(compared(found, "shm", "rtt").outcome == calib::outcome::same);
  CHECK(compared(found, "tcp", "rtt").reason ==
        "of another condition in A, of another condition in B");
}

TEST_CASE("profiles without a condition in common are not compared, except over self") {
  const auto found = calib::compare(profile_in({93}), profile_in({390}));
  CHECK(found.apart);
  CHECK(found.why_not_judged() ==
        "nothing but self can be compared: A and B have no condition in common");
  CHECK(found.conditions ==
        "no condition in common: a cache line takes 93 ns in A and 390 ns in B");
  CHECK(compared(found, "shm", "rtt").outcome == calib::outcome::unknown);
  CHECK(compared(found, "shm", "rtt").reason == "measured in other conditions");
  CHECK(compared(found, "self", "rtt").outcome == calib::outcome::same);
  CHECK(calib::table_of(found, false).find("! no condition in common") != std::string::npos);
}

TEST_CASE("conditions in which other ranks are slow are not compared") {
  const calib::profile plain = profile_in({93, 390});
  calib::profile slow = plain;
  slow.condition->slow_ranks = {1};
  const auto other = calib::compare(plain, slow);
  CHECK(other.conditions == "compared where a cache line takes 390 ns in A and 390 ns in B");
  CHECK(calib::compare(slow, slow).conditions ==
        "compared where a cache line takes 93 ns with rank 1 slow in A and 93 ns with rank 1 slow "
        "in B");
  slow.others.clear();
  slow.condition->slow_ranks = {0, 1};
  const auto none = calib::compare(plain, slow);
  CHECK(none.apart);
  CHECK(none.conditions ==
        "no condition in common: a cache line takes 93 ns, 390 ns in A and 93 ns with both ranks "
        "slow in B");
}

TEST_CASE("a profile without conditions is compared with such alone, except over self") {
  calib::profile whole = profile_in({93});
  whole.condition.reset();
  const auto alike = calib::compare(whole, whole);
  CHECK(alike.conditions.empty());
  CHECK(compared(alike, "shm", "rtt").outcome == calib::outcome::same);
  const auto found = calib::compare(whole, profile_in({93}));
  CHECK(found.conditions ==
        "A has figures of all samples, and B of where a cache line takes 93 ns");
  CHECK(compared(found, "shm", "rtt").reason ==
        "of all conditions at once in A, of one condition in B");
  CHECK(compared(found, "self", "rtt").outcome == calib::outcome::same);
  CHECK(found.why_not_judged() ==
        "nothing but self can be compared: the figures are of all conditions at once in A, of one "
        "condition in B");
  CHECK(calib::compare(profile_in({93}), whole).conditions ==
        "A has figures of where a cache line takes 93 ns, and B of all samples");
}

// The validation of LogP validated: in a simulated network where LogP holds the verdicts say so,
// and where something is shared, or gets in the way, they say that.
#include "simulated/calibrate.hpp"
#include "simulated/crowd.hpp"

#include <calib/driver/validating.hpp>
#include <calib/logp/validation.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using calib::pattern;
using doctest::Approx;
using simulated::crowd_parameters;

namespace {

calib::validation_checks validated(crowd_parameters real) {
  real.jitter = 0.02;
  std::vector<calib::launch> launches;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simulated::crowd in(real, seed);
    const simulated::stage_in stage(in);
    simulated::listener said;
    calib::validation(in, stage, said, {5, 2e4}).take();
    launches.push_back(std::move(said.heard));
  }
  return calib::checks_of(launches, real.places);
}

bool begins(const std::string& text, const char* with) { return text.starts_with(with); }

constexpr crowd_parameters usual = {.places = 8, .o = 50, .L = 400, .g = 120, .window = 32};

}  // namespace

TEST_CASE(
    "where LogP holds, pairs do not disturb each other, and K that ask one wait for each other") {
  for (const unsigned places : {4U, 6U, 8U}) {
    crowd_parameters real = usual;
    real.places = places;
    CAPTURE(places);
    const calib::validation_checks found = validated(real);
    CHECK(found.ranks == places);
    REQUIRE(found.pairs);
    CHECK(begins(found.pairs->verdict, "the same to two digits"));
    CHECK(found.pairs->g.median == Approx(120).epsilon(0.02));
    CHECK(found.pairs->rtt.median == Approx(2 * (50 + 400 + 50)).epsilon(0.02));
    REQUIRE(found.one_to_many);
    CHECK(begins(found.one_to_many->verdict, "the same gap"));
    REQUIRE(found.many_to_one);
    CHECK(begins(found.many_to_one->verdict, "the gap grows with the senders"));
    CHECK(found.many_to_one->g_times.median == Approx(places - 1).epsilon(0.05));
  }
}

TEST_CASE("a receiver that is slow to answer sets the gap, and many of them do not") {
  crowd_parameters real = usual;
  real.turnaround = 150;
  const calib::validation_checks found = validated(real);
  CHECK(begins(found.one_to_many->verdict, "a shorter gap"));
  CHECK(found.one_to_many->g_times.median == Approx(120.0 / 250).epsilon(0.05));
  CHECK(begins(found.pairs->verdict, "the same to two digits"));
}

TEST_CASE("pairs that share an interface disturb each other") {
  crowd_parameters real = usual;
  real.one_interface = true;
  const calib::validation_checks found = validated(real);
  CHECK(begins(found.pairs->verdict, "pairs disturb each other"));
  CHECK(found.pairs->g_times.median == Approx(4).epsilon(0.1));
}

TEST_CASE("a gap that grows with the number of receivers is no property of a network") {
  crowd_parameters real = usual;
  real.choosing = 30;
  CHECK(begins(validated(real).one_to_many->verdict, "a longer gap"));
}

TEST_CASE("senders that set the gap themselves, and senders that get in each other's way") {
  crowd_parameters real = usual;
  real.thinking = 2000;
  CHECK(begins(validated(real).many_to_one->verdict, "the gap grows less than the senders"));
  real = usual;
  real.o = 100;  // so that requests wait for the processor
  real.crush = 200;
  CHECK(begins(validated(real).many_to_one->verdict, "the gap grows more than the senders"));
}

TEST_CASE("while round trips are taken the others take round trips, too, and flood nobody") {
  // A flood would keep the receiver busy for longer than a round trip takes.
  crowd_parameters real = usual;
  real.places = 4;
  real.turnaround = 500;
  const calib::validation_checks found = validated(real);
  CHECK(found.many_to_one->rtt.median < 3 * (2 * (50 + 400 + 50) + 500));
}

TEST_CASE("what was not told has no verdict, and says so") {
  calib::launch part;
  part.notes["ranks"] = "4";
  part.measured.push_back(calib::series_of("validate/alone/g", "default", {100}));
  CHECK(calib::checks_of({{part}}, 4).why_not == "was not told");
  part.notes.clear();
  CHECK_FALSE(calib::checks_of({{part}}, 4).many_to_one);
}

TEST_CASE("verdicts draw the line where Culler et al. found LogP to hold") {
  using namespace calib::logp;
  CHECK(begins(verdict_on_pairs({1.04, 0.96}), "the same"));
  CHECK(begins(verdict_on_pairs({1.02, 1.08}), "pairs disturb"));
  CHECK(begins(verdict_on_pairs({0.9, 1}), "faster than one pair alone"));
  CHECK(begins(verdict_on_one_to_many({0.7, 1}), "a shorter gap"));
  CHECK(begins(verdict_on_one_to_many({1.04, 1}), "the same gap"));
  CHECK(begins(verdict_on_one_to_many({1.1, 1}), "a longer gap"));
  CHECK(begins(verdict_on_many_to_one({6, 1}, 7), "the gap grows with"));
  CHECK(begins(verdict_on_many_to_one({16.8, 1}, 15), "the gap grows with"));
  CHECK(begins(verdict_on_many_to_one({3, 1}, 3), "the gap grows with"));
  CHECK(begins(verdict_on_many_to_one({5.5, 1}, 7), "the gap grows less"));
  CHECK(begins(verdict_on_many_to_one({9, 1}, 7), "the gap grows more"));
}

TEST_CASE("who asks whom") {
  for (const unsigned rank : {1U, 2U, 3U, 7U}) {
    CHECK_FALSE(calib::asked_by(rank, pattern::alone));
    CHECK_FALSE(calib::asked_by(rank, pattern::one_to_many));
  }
  CHECK(calib::asked_by(2, pattern::pairs) == 3);
  CHECK_FALSE(calib::asked_by(3, pattern::pairs));
  CHECK_FALSE(calib::asked_by(1, pattern::many_to_one));
  CHECK(calib::asked_by(3, pattern::many_to_one) == 1);
}

TEST_CASE("as many processes as there are CPUs, in pairs, from four to eight") {
  CHECK(calib::crew_on(2) == 0);
  CHECK(calib::crew_on(3) == 0);
  CHECK(calib::crew_on(4) == 4);
  CHECK(calib::crew_on(7) == 6);
  CHECK(calib::crew_on(64) == 8);
  CHECK(calib::checks_of({}, 2).why_not == "needs 4 cores, has 2");
  CHECK(calib::checks_of({}, 16).why_not == "was not told");
}

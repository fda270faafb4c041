// Several ranks in a simulated network: the verdicts report whether LogP holds, and which
// disturbance there is if it does not.
#include "simulated/calibrate.hpp"
#include "simulated/multi_rank.hpp"

#include <calib/driver/profile/multi_rank.hpp>
#include <calib/logp/multi_rank.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using calib::pattern;
using doctest::Approx;
using simulated::multi_rank_parameters;

namespace {

calib::multi_rank_checks checks_in(multi_rank_parameters real) {
  real.jitter = 0.02;
  std::vector<calib::launch> launches;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simulated::multi_rank_network in(real, seed);
    const simulated::processor_in cpu(in);
    simulated::recorder recorded;
    calib::multi_rank_probe(in, cpu, recorded, {5, 2e4}).measure();
    launches.push_back(std::move(recorded.launch));
  }
  return calib::multi_rank_checks_of(launches, real.processors);
}

bool begins(const std::string& text, const char* with) { return text.starts_with(with); }

constexpr multi_rank_parameters usual = {
    .processors = 8, .o = 50, .L = 400, .g = 120, .window = 32};

}  // namespace

TEST_CASE("where LogP holds, pairs do not disturb each other, and many to one share the gap") {
  for (const unsigned processors : {4U, 6U, 8U}) {
    multi_rank_parameters real = usual;
    real.processors = processors;
    CAPTURE(processors);
    const calib::multi_rank_checks found = checks_in(real);
    CHECK(found.ranks == processors);
    REQUIRE(found.pairs);
    CHECK(begins(found.pairs->verdict, "the same to two digits"));
    CHECK(found.pairs->g.median == Approx(120).epsilon(0.02));
    CHECK(found.pairs->rtt.median == Approx(2 * (50 + 400 + 50)).epsilon(0.02));
    REQUIRE(found.one_to_many);
    CHECK(begins(found.one_to_many->verdict, "the same gap"));
    REQUIRE(found.many_to_one);
    CHECK(begins(found.many_to_one->verdict, "the gap grows with the senders"));
    CHECK(found.many_to_one->g_times.median == Approx(processors - 1).epsilon(0.05));
  }
}

TEST_CASE("a single slow receiver sets the gap, and many receivers do not") {
  multi_rank_parameters real = usual;
  real.responder_delay = 150;
  const calib::multi_rank_checks found = checks_in(real);
  CHECK(begins(found.one_to_many->verdict, "a shorter gap"));
  CHECK(found.one_to_many->g_times.median == Approx(120.0 / 250).epsilon(0.05));
  CHECK(begins(found.pairs->verdict, "the same to two digits"));
}

TEST_CASE("pairs that share an interface disturb each other") {
  multi_rank_parameters real = usual;
  real.one_interface = true;
  const calib::multi_rank_checks found = checks_in(real);
  CHECK(begins(found.pairs->verdict, "pairs disturb each other"));
  CHECK(found.pairs->g_times.median == Approx(4).epsilon(0.1));
}

TEST_CASE("a gap that grows with the number of receivers is no property of a network") {
  multi_rank_parameters real = usual;
  real.per_target_delay = 30;
  CHECK(begins(checks_in(real).one_to_many->verdict, "a longer gap"));
}

TEST_CASE("senders that set the gap themselves, and senders that get in each other's way") {
  multi_rank_parameters real = usual;
  real.requester_delay = 2000;
  CHECK(begins(checks_in(real).many_to_one->verdict, "the gap grows less than the senders"));
  real = usual;
  real.o = 100;  // so that requests queue at the processor
  real.contention_delay = 200;
  CHECK(begins(checks_in(real).many_to_one->verdict, "the gap grows more than the senders"));
}

TEST_CASE("beside round trips the others send single requests, too, and no floods") {
  // A flood would occupy the receiver for longer than a round trip.
  multi_rank_parameters real = usual;
  real.processors = 4;
  real.responder_delay = 500;
  const calib::multi_rank_checks found = checks_in(real);
  CHECK(found.many_to_one->rtt.median < 3 * (2 * (50 + 400 + 50) + 500));
}

TEST_CASE("a pattern without a report has no verdict, and a reason") {
  calib::launch part;
  part.notes["ranks"] = "4";
  part.measured.push_back(calib::series_of("validate/alone/g", "default", {100}));
  CHECK(calib::multi_rank_checks_of({{part}}, 4).why_not == "was not reported");
  part.notes.clear();
  CHECK_FALSE(calib::multi_rank_checks_of({{part}}, 4).many_to_one);
}

TEST_CASE("verdicts have the limits within which Culler et al. found LogP to hold") {
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

TEST_CASE("the targets of the patterns") {
  for (const unsigned rank : {1U, 2U, 3U, 7U}) {
    CHECK_FALSE(calib::target_of(rank, pattern::alone));
    CHECK_FALSE(calib::target_of(rank, pattern::one_to_many));
  }
  CHECK(calib::target_of(2, pattern::pairs) == 3);
  CHECK_FALSE(calib::target_of(3, pattern::pairs));
  CHECK_FALSE(calib::target_of(1, pattern::many_to_one));
  CHECK(calib::target_of(3, pattern::many_to_one) == 1);
}

TEST_CASE("as many processes as there are CPUs, in pairs, from four to eight") {
  CHECK(calib::multi_rank_size(2) == 0);
  CHECK(calib::multi_rank_size(3) == 0);
  CHECK(calib::multi_rank_size(4) == 4);
  CHECK(calib::multi_rank_size(7) == 6);
  CHECK(calib::multi_rank_size(64) == 8);
  CHECK(calib::multi_rank_checks_of({}, 2).why_not == "needs 4 cores, has 2");
  CHECK(calib::multi_rank_checks_of({}, 16).why_not == "was not reported");
}

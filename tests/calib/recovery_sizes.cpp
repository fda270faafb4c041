// Pieces of data over a simulated network with known LogGP parameters: fits, cross-checks and
// predictions recover them.
#include "simulated/calibrate.hpp"
#include "simulated/pieces.hpp"

#include <calib/driver/profile/cross_checks.hpp>
#include <calib/driver/profile/sized_costs.hpp>
#include <calib/program/exchange_probe.hpp>
#include <calib/program/prtt_probe.hpp>
#include <calib/program/size_probe.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

using doctest::Approx;
using simulated::piece_parameters;
namespace logp = calib::logp;

namespace {

// The exchange needs all kinds, and in the simulation all kinds cost the same.
void copy_stores_to_all_kinds(calib::launch& of) {
  const std::vector<calib::series> stores = of.measured;
  for (const calib::series& s : stores)
    for (const char* other : {"get", "medium"})
      if (s.probe.starts_with("size/store/"))
        of.measured.push_back(calib::series_of(
            std::string("size/") + other + s.probe.substr(std::string("size/store").size()),
            "default", s.samples));
}

calib::launch simulate_launch(const piece_parameters& real, std::uint64_t seed) {
  const calib::sample_plan plan{7, 5e5};
  simulated::pieces mover(real, seed);
  const simulated::processor_in cpu(mover);
  simulated::recorder recorded;
  calib::size_probe(mover, cpu, recorded, plan).measure();
  calib::prtt_probe(mover, cpu, recorded, plan).measure();
  calib::measure_exchange(mover, cpu, recorded, plan);
  copy_stores_to_all_kinds(recorded.launch);
  recorded.launch.measured.push_back(calib::series_of("rtt", "default", {mover.round_trip()}));
  return std::move(recorded.launch);
}

struct recovered {
  calib::layer_profile layer;
  calib::cross_checks cross_checks;
};

recovered found(piece_parameters real) {
  real.jitter = 0.02;
  std::vector<logp::points> launches;
  for (std::uint64_t seed = 1; seed <= 9; ++seed)
    launches.push_back(calib::points_of(simulate_launch(real, seed)));
  recovered out;
  calib::add_sizes(launches, out.layer);
  out.cross_checks = calib::cross_checks_of(launches);
  return out;
}

constexpr double largest = 1 << 20;

}  // namespace

TEST_CASE("G, g0, overheads, times and half of the bandwidth are recovered") {
  for (const double G : {0.05, 0.4})
    for (const double g0 : {80.0, 3000.0})
      for (const double L : {50.0, 4000.0}) {
        CAPTURE(G);
        CAPTURE(g0);
        CAPTURE(L);
        const piece_parameters real{
            .o = 60, .O = G / 10, .L = L, .o_words = 40, .protocols = {{0, g0, G}}};
        const calib::layer_profile got = found(real).layer;
        REQUIRE(got.loggp.size() == 3);
        CHECK(got.loggp[0].segments.size() == 1);
        CHECK(got.loggp[0].G.median == Approx(G).epsilon(0.02));
        CHECK(got.loggp[0].g0.median == Approx(g0).epsilon(0.05));
        // The n with half of the bandwidth n / (g0 + n G) of the largest size.
        const double most = largest / (g0 + largest * G);
        CHECK(*got.loggp[0].half_bandwidth_bytes ==
              Approx(most / 2 * g0 / (1 - most / 2 * G)).epsilon(0.05));
        for (const calib::sized_cost& one : got.sizes) {
          const auto n = static_cast<double>(one.bytes);
          CAPTURE(n);
          CHECK(one.o.median == Approx(60 + n * G / 10).epsilon(0.03));
          CHECK(one.g.median == Approx(g0 + n * G).epsilon(0.03));
          CHECK(one.bandwidth().value->median == Approx(n / (g0 + n * G)).epsilon(0.03));
          // Overhead, interface, latency, and overhead of the receiver.
          if (one.operation == "store")
            CHECK(one.T.median ==
                  Approx(60 + n * G / 10 + g0 + n * G + L + real.o_words).epsilon(0.03));
        }
      }
}

TEST_CASE("a new segment begins where the protocol changes") {
  const auto got = found({.o = 60,
                          .O = 0.01,
                          .L = 500,
                          .o_words = 40,
                          .protocols = {{0, 100, 0.5}, {16384, 4000, 0.06}}})
                       .layer;
  const auto& segments = got.loggp[0].segments;
  REQUIRE(segments.size() == 2);
  CHECK(segments[0].to == 4096);
  CHECK(segments[0].g0 == Approx(100).epsilon(0.05));
  CHECK(segments[0].G == Approx(0.5).epsilon(0.02));
  CHECK(segments[1].from == 16384);
  CHECK(segments[1].g0 == Approx(4000).epsilon(0.05));
  CHECK(segments[1].G == Approx(0.06).epsilon(0.02));
}

TEST_CASE("the cross-check by PRTT finds the same values") {
  const auto got =
      found({.o = 300, .O = 0.02, .L = 900, .o_words = 40, .protocols = {{0, 700, 0.2}}})
          .cross_checks;
  REQUIRE(got.prtt);
  CHECK(got.prtt->bytes == 64);
  CHECK(got.prtt->o.value.median == Approx(300 + 64 * 0.02).epsilon(0.02));
  CHECK(got.prtt->g.value.median == Approx(700).epsilon(0.1));
  CHECK(got.prtt->G.value.median == Approx(0.2).epsilon(0.02));
  REQUIRE(got.prtt->G.off_percent);
  CHECK(std::abs(*got.prtt->o.off_percent) < 3);
  CHECK(std::abs(*got.prtt->g.off_percent) < 10);
  CHECK(std::abs(*got.prtt->G.off_percent) < 3);
}

TEST_CASE("pieces that are in no cache have their own gaps and their own prediction") {
  piece_parameters real{.o = 50, .O = 0.01, .L = 900, .o_words = 40, .protocols = {{0, 100, 0.2}}};
  real.uncached = {{0, 150, 0.5}};
  const recovered got = found(real);
  std::size_t measured = 0;
  for (const calib::sized_cost& one : got.layer.sizes) {
    if (!one.g_uncached) continue;
    ++measured;
    const auto n = static_cast<double>(one.bytes);
    CHECK(one.g_uncached->median == Approx(150 + 0.5 * n).epsilon(0.03));
    CHECK(one.g.median == Approx(100 + 0.2 * n).epsilon(0.03));
  }
  CHECK(measured == 12);
  CHECK(*got.layer.loggp[0].G_uncached == Approx(0.5).epsilon(0.02));
  const auto& exchange = got.cross_checks.exchange;
  REQUIRE(exchange);
  REQUIRE(exchange->uncached);
  CHECK(std::abs(exchange->off_percent) < 3);
  CHECK(std::abs(exchange->uncached->off_percent) < 3);
  CHECK(exchange->uncached->measured.median > 2 * exchange->measured.median);
}

TEST_CASE("each sample of pieces has the time of a line before and after it") {
  simulated::pieces mover(
      {.o = 50, .O = 0.01, .L = 900, .o_words = 40, .protocols = {{0, 100, 0.2}}}, 1);
  const simulated::processor_in cpu(mover);
  simulated::recorder recorded;
  recorded.state = [] { return calib::cpu_state{93, {1000, 1000}}; };
  const calib::sample_plan plan{3, 1e5};
  calib::size_probe(mover, cpu, recorded, plan).measure();
  calib::prtt_probe(mover, cpu, recorded, plan).measure();
  calib::measure_exchange(mover, cpu, recorded, plan);
  for (const calib::series& s : recorded.launch.measured) {
    CAPTURE(s.probe);
    CHECK(s.lines.size() == s.samples.size() + 1);
  }
}

TEST_CASE("two directions overlap or take turns, and the exchange is predicted either way") {
  piece_parameters real{.o = 50, .O = 0, .L = 900, .o_words = 40, .protocols = {{0, 700, 0.2}}};
  real.queue_length = 1000;
  const auto in_turn = found(real).cross_checks.exchange;
  REQUIRE(in_turn->both_ways);
  CHECK(std::abs(in_turn->both_ways->ratio.median) < 0.05);
  CHECK(in_turn->in_turn->median == Approx(in_turn->predicted.median).epsilon(0.03));
  real.duplex = true;
  const auto overlaps = found(real).cross_checks.exchange;
  REQUIRE(overlaps->both_ways);
  CHECK(overlaps->both_ways->ratio.median == Approx(1).epsilon(0.05));
  CHECK(std::abs(overlaps->off_percent) < 5);
  CHECK(overlaps->in_turn->median > 1.2 * overlaps->measured.median);
}

TEST_CASE("where PRTT finds another value the assumption that does not hold is named") {
  const piece_parameters ideal{
      .o = 300, .O = 0.02, .L = 900, .o_words = 40, .protocols = {{0, 700, 0.2}}};
  const auto none = found(ideal).cross_checks.prtt;
  CHECK(none->o.why_off.empty());
  CHECK(none->g.why_off.empty());
  CHECK(none->G.why_off.empty());

  piece_parameters answered = ideal;
  answered.answer = 150;
  const auto o = found(answered).cross_checks.prtt;
  CHECK(*o->o.off_percent == Approx(50).epsilon(0.1));
  CHECK(o->o.why_off.starts_with("assumes that a piece costs its sender the same"));

  piece_parameters slow = ideal;
  slow.start = {16, 1.8, 0, 1024};
  const auto train = found(slow).cross_checks.prtt;
  CHECK(*train->g.off_percent > 20);
  CHECK(train->g.why_off.starts_with("assumes that its train is long enough"));
  CHECK(train->G.why_off.empty());
  CHECK(train->o.why_off.empty());

  piece_parameters bent = ideal;
  bent.start = {16, 1.3, 65536, 65536};
  const auto line = found(bent).cross_checks.prtt;
  CHECK(*line->g.off_percent < -10);
  CHECK(line->g.why_off.starts_with("assumes that all gaps are on one line"));
}

TEST_CASE("the peak rate of the start-up model is recovered") {
  const auto got =
      found({.o = 300, .O = 0, .L = 900, .o_words = 40, .protocols = {{0, 700, 0.2}}}).cross_checks;
  REQUIRE(got.startup);
  CHECK(got.startup->R_inf.median == Approx(5).epsilon(0.02));
}

TEST_CASE(
    "pieces that were not fitted are predicted; less well around an unmeasured protocol change") {
  for (const double L : {100.0, 20000.0}) {
    CAPTURE(L);
    piece_parameters real{.o = 50, .O = 0.02, .L = L, .o_words = 40, .protocols = {{0, 700, 0.2}}};
    const auto one = found(real).cross_checks.exchange;
    REQUIRE(one);
    CHECK(std::abs(one->off_percent) < 2);
    real.protocols = {{0, 100, 0.5}, {16384, 4000, 0.06}};
    const auto two = found(real).cross_checks.exchange;
    REQUIRE(two);
    CHECK(std::abs(two->off_percent) < 10);
    CHECK(two->remark.empty());
  }
}

TEST_CASE(
    "a sample has at least one and at most the given number of repetitions, for any time of one") {
  const calib::sample_plan plan{7, 5e5};
  CHECK(plan.count_for(1e5, 1000) == 5);
  CHECK(plan.count_for(1e9, 1000) == 1);
  CHECK(plan.count_for(1, 1000) == 1000);
  for (const double none : {0.0, -1.0, -1e300}) CHECK(plan.count_for(none, 1000) == 1000);
}

// What other methods make of known figures, how far that is from ours, and how it is shown.
#include "simulated/calibrate.hpp"

#include "schema.hpp"

#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_table.hpp>
#include <calib/exchange.hpp>
#include <calib/logp/linear_fit.hpp>
#include <calib/logp/loggp.hpp>
#include <calib/logp/prtt.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace logp = calib::logp;
using doctest::Approx;

namespace {

void add(calib::launch& to, const std::string& probe, double ns) {
  to.measured.push_back(calib::series_of(probe, "default", {ns}));
}

// Pieces at 40 ns and 0.1 ns/B, whatever is done with them.
void add_sizes(calib::launch& to) {
  for (const char* kind : {"store", "get", "medium"})
    for (std::size_t bytes = 64; bytes <= 1 << 20; bytes *= 4) {
      const std::string name = std::string("size/") + kind + '/' + std::to_string(bytes);
      const double g = 40 + 0.1 * static_cast<double>(bytes);
      add(to, name + "/o", 30);
      add(to, name + "/g", g);
      add(to, name + "/trip", g + 500);
      if (bytes == 64 || bytes == 16384) add(to, name + "/uncached", 2 * g);
    }
}

// PRTTs that find o a tenth above ours, g and G as we do.
void add_prtt_times(calib::launch& to) {
  to.notes["train"] = "16";
  for (const double bytes : {64.0, 1024.0, 65536.0}) {
    const std::string name = "prtt/store/" + std::to_string(static_cast<int>(bytes));
    const double one = 540 + 0.1 * bytes;
    add(to, name + "/1", one);
    add(to, name + "/n", one + 15 * (40 + 0.1 * bytes));
    add(to, name + "/d", one);
    add(to, name + "/nd", one + 15 * (33 + one));
  }
}

double exchange_of_known_pieces(double times = 1) {
  double ns = 500;
  for (const calib::exchange_piece& piece : calib::exchange())
    ns += times * (40 + 0.1 * static_cast<double>(piece.bytes));
  return ns;
}

calib::launch multi_rank_launch(std::uint64_t seed) {
  calib::launch one;
  one.layer = {"am-shm", "shm"};
  one.round = static_cast<unsigned>(seed);
  one.notes["ranks"] = "8";
  const double slow = 1 + static_cast<double>(seed) / 50;
  for (const char* pattern : {"alone", "pairs", "one_to_many"}) {
    add(one, std::string("validate/") + pattern + "/g", 100 * slow);
    add(one, std::string("validate/") + pattern + "/rtt", 900 * slow);
  }
  add(one, "validate/many_to_one/g", 650 * slow);
  add(one, "validate/many_to_one/rtt", 9000 * slow);
  return one;
}

// `late`: the exchange took so many times as long as is predicted.
calib::profile profile_with(double late, bool among_ranks) {
  calib::profile out;
  out.environment.allowed_cpus = {0, 1};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    calib::launch one = simulated::simulate_launch(
        {.o_s = 60, .o_r = 40, .L = 100, .g = 250, .window = 64, .jitter = 0.02}, seed, {3, 2e4});
    one.layer = {"am-shm", "shm"};
    one.round = static_cast<unsigned>(seed);
    add_sizes(one);
    add_prtt_times(one);
    add(one, "exchange/64", late * exchange_of_known_pieces());
    add(one, "exchange/64/uncached", late * exchange_of_known_pieces(2));
    add(one, "both_ways/store", 30);
    add(one, "both_ways/get", 40);
    add(one, "both_ways/both", 70);
    out.launches.push_back(std::move(one));
    if (among_ranks) out.launches.push_back(multi_rank_launch(seed));
  }
  calib::analyse(out);
  return out;
}

nlohmann::json validation_of(const calib::profile& from) {
  return nlohmann::json::parse(calib::json_of(from))["transports"]["shm"]["validation"];
}

}  // namespace

TEST_CASE("predictions are of the launches that know all sizes") {
  calib::profile of = profile_with(1, false);
  of.layers.clear();
  for (std::size_t i = 0; i < 4; ++i)
    std::erase_if(of.launches[i].measured, [](const calib::series& s) {
      return s.probe.starts_with("size/") && s.probe.find("/64/") == std::string::npos;
    });
  calib::analyse(of);
  const auto exchange = of.layers.at(0).cross_checks.exchange;
  REQUIRE(exchange);
  CHECK(std::abs(exchange->off_percent) < 3);
  REQUIRE(exchange->uncached);
  CHECK(std::abs(exchange->uncached->off_percent) < 3);
}

TEST_CASE("cross-checks of which the condition has too little are of all samples") {
  calib::profile of = profile_with(1, false);
  of.layers.clear();
  for (calib::launch& one : of.launches)
    for (calib::series& s : one.measured) {
      const bool is_far = s.probe == "exchange/64" || s.probe.starts_with("prtt/");
      s.lines.assign(s.samples.size() + 1, is_far ? 390 : 93);
    }
  calib::analyse(of);
  REQUIRE(of.condition);
  CHECK(of.condition->line_ns == 93);
  CHECK_FALSE(of.layers.at(0).of_all_conditions);
  CHECK(of.layers.at(0).cross_checks.exchange);
  CHECK(of.layers.at(0).cross_checks.prtt);
  CHECK(std::ranges::count(of.remarks,
                           "shm: too little was measured in the profile's condition for some "
                           "cross-checks, which are of all conditions at once and may be off for "
                           "that reason: PRTT, exchange") == 1);
}

TEST_CASE(
    "G and g0 are of the launches that know the smallest size and those that G follows from") {
  calib::profile of = profile_with(1, false);
  // From 64 KiB on another protocol, which costs half as much a byte.
  for (calib::launch& one : of.launches)
    for (calib::series& s : one.measured)
      for (const std::size_t bytes : {65536UL, 262144UL, 1048576UL})
        if (s.probe == "size/store/" + std::to_string(bytes) + "/g")
          s = calib::series_of(s.probe, "default", {3000 + 0.05 * static_cast<double>(bytes)});
  const auto forget = [&](std::size_t launch, const std::string& name) {
    std::erase_if(of.launches.at(launch).measured,
                  [&](const calib::series& s) { return s.probe.starts_with(name); });
  };
  const auto known = [&] {
    of.layers.clear();
    calib::analyse(of);
    const calib::loggp_cost& store = of.layers.at(0).loggp.at(0);
    CHECK(store.operation == "store");
    CHECK(store.G.median == Approx(0.05));
    CHECK(store.g0.median == Approx(40));
    return store.G.n;
  };
  CHECK(known() == 6);
  forget(0, "size/store/1024/");
  forget(0, "size/store/4096/");
  CHECK(known() == 6);
  forget(1, "size/store/64/");
  CHECK(known() == 5);
  forget(2, "size/store/1048576/");
  CHECK(known() == 4);
  forget(3, "size/store/262144/");
  CHECK(known() == 3);
  for (std::size_t i = 0; i < of.launches.size(); ++i) forget(i, "rtt");
  of.layers.clear();
  calib::analyse(of);
  CHECK(of.layers.at(0).loggp.empty());  // without a round trip nothing is known of pieces
}

TEST_CASE("a line by least squares of what points are off") {
  const std::vector<logp::sized_gap> points = {{0, 10}, {1, 13}, {2, 14}, {3, 17}};
  const auto line = logp::least_squares(points);
  REQUIRE(line);
  CHECK(line->ns == Approx(10.2));
  CHECK(line->per_byte == Approx(2.2));
  CHECK_FALSE(logp::least_squares({}));
  CHECK_FALSE(logp::least_squares(std::vector<logp::sized_gap>{{64, 10}, {64, 11}}));
}

TEST_CASE("the formulas of the cross-check PRTT") {
  // L 400, o 50 at either end, g 120, G 0.1.
  const double one = 2 * (400 + 2 * 50 + 99 * 0.1);
  const logp::prtt_times t{100, one, one + 15 * (120 + 99 * 0.1), one + 15 * (50 + 1000.0), 1000};
  CHECK(logp::overhead_of(t, 16) == Approx(50));
  CHECK(logp::gap_of(t, 16).bytes == 100);
  CHECK(logp::gap_of(t, 16).ns == Approx(120 + 99 * 0.1));
  const std::vector<logp::sized_gap> gaps = {{1, 120}, {1001, 220}};
  CHECK(logp::fit_gaps(gaps)->g == Approx(120));
  CHECK(logp::fit_gaps(gaps)->G == Approx(0.1));
}

TEST_CASE("start-up time is what is left of the line, also less than nothing") {
  const auto found =
      logp::startup_of(std::vector<logp::sized_gap>{{0, 40}, {1000, 60}, {2000, 560}});
  REQUIRE(found);
  CHECK(found->T0 == Approx(-40));
  CHECK(found->R_inf == Approx(2000.0 / 520));
  CHECK_FALSE(logp::startup_of(std::vector<logp::sized_gap>{{0, 40}, {1000, 30}}));
}

TEST_CASE("gaps of sizes that were not measured") {
  const std::vector<logp::gap_segment> segments = {{64, 1024, 50, 0.5}, {4096, 65536, 1000, 0.1}};
  CHECK(logp::gap_at(segments, 500) == Approx(300));
  CHECK(logp::gap_at(segments, 10000) == Approx(2000));
  // From 562 at 1024 bytes to 1409.6 at 4096.
  CHECK(logp::gap_at(segments, 2560) == Approx((562 + 1409.6) / 2));
  CHECK(logp::gap_at(segments, 10) == Approx(55));
  CHECK(logp::gap_at(segments, 100000) == Approx(11000));
}

TEST_CASE("pieces in a row take their gaps, and the last a trip besides") {
  const logp::piece_cost one{{{64, 65536, 50, 0.1}}, 1000};
  const logp::piece_cost other{{{64, 65536, 10, 0.2}}, 300};
  const std::vector<logp::planned_piece> pieces = {{&one, 100}, {&other, 1000}, {&one, 200}};
  CHECK(*logp::predict(pieces) == Approx(60 + 210 + 70 + 1000));
  const logp::piece_cost unknown;
  CHECK_FALSE(logp::predict(std::vector<logp::planned_piece>{{&one, 100}, {&unknown, 100}}));
}

TEST_CASE("two directions take turns, or save the time of what passes meanwhile") {
  CHECK(logp::overlap_of(30, 40, 70) == Approx(0));
  CHECK(logp::overlap_of(30, 40, 40) == Approx(1));
  CHECK(logp::overlap_of(40, 30, 55) == Approx(0.5));
  const logp::piece_cost cost{{{1, 100, 0, 1}}, 7};
  // Gone at 10 and 60; the one that comes begins at 10, and the last at 60.
  const std::vector<logp::planned_piece> pieces = {
      {&cost, 10}, {&cost, 20, true}, {&cost, 50}, {&cost, 30, true}};
  CHECK(*logp::predict(pieces) == Approx(117));
  CHECK(*logp::predict(pieces, 1) == Approx(97));
  CHECK(*logp::predict(pieces, 0.5) == Approx(107));
}

TEST_CASE("the exchange is of sizes that no line was fitted to, and of every kind") {
  std::set<calib::operation> kinds;
  std::set<std::size_t> sizes;
  for (const calib::exchange_piece& piece : calib::exchange()) {
    kinds.insert(piece.what);
    sizes.insert(piece.bytes);
    CHECK(piece.bytes >= 64);
    CHECK((piece.bytes & (piece.bytes - 1)) != 0);
    CHECK((piece.what != calib::operation::medium || piece.bytes <= 16384));
  }
  CHECK(kinds.size() == 3);
  CHECK(sizes.size() >= 8);
  CHECK(calib::exchange().back().what == calib::operation::medium);
}

TEST_CASE("the cross-check PRTT is compared with the figures of the same sizes") {
  const calib::cross_checks of = profile_with(1, false).layers.front().cross_checks;
  REQUIRE(of.prtt);
  CHECK(of.prtt->o.value.median == Approx(33));
  CHECK(*of.prtt->o.off_percent == Approx(10));
  CHECK(of.prtt->g.value.median == Approx(40.1));
  CHECK(*of.prtt->g.off_percent == Approx(0));
  CHECK(of.prtt->G.value.median == Approx(0.1));
  CHECK(*of.prtt->G.off_percent == Approx(0));
}

TEST_CASE("the file has every cross-check and satisfies its schema") {
  const calib::profile of = profile_with(1, true);
  CHECK(profile_departures(calib::json_of(of)) == std::vector<std::string>{});
  const auto said = validation_of(of);
  CHECK(said["prtt"]["o"]["unit"] == "ns");
  CHECK(said["prtt"]["G"]["unit"] == "ns/B");
  CHECK(said["prtt"]["against"]["o"] == 10);
  CHECK(said["startup"]["R_inf"]["unit"] == "GB/s");
  CHECK(said["startup"]["R_inf"]["median"].get<double>() == Approx(10).epsilon(0.01));
  CHECK(said["startup"]["remark"].is_string());
  CHECK(said["exchange"]["off"].get<double>() == Approx(0));
  CHECK_FALSE(said["exchange"].contains("remark"));
  CHECK(said["exchange"]["uncached"]["off"].get<double>() == Approx(0));
  CHECK(said["exchange"]["overlap"]["ratio"] == 0);
  CHECK(said["exchange"]["in_turn"] == said["exchange"]["predicted"]);
  CHECK(said["prtt"]["why_off"]["o"] == "differs for a reason that was not measured");
  CHECK_FALSE(said["prtt"]["why_off"].contains("g"));
  CHECK(said["pairs"]["verdict"] == "the same to two digits: g x 1.00, rtt x 1.00");
  CHECK(said["pairs"]["ranks"] == 8);
  CHECK(said["many_to_one"]["verdict"] == "the gap grows with the senders: g x 6.5 with 7 senders");
  CHECK(said["many_to_one"]["times"]["g"]["ratio"] == 6.5);
  CHECK(said["one_to_many"]["g"]["n"] == 6);
}

TEST_CASE("a parameter by PRTT that ours gives no ratio to is not called off") {
  calib::profile of = profile_with(1, false);
  of.layers.clear();
  for (calib::launch& one : of.launches)
    for (calib::series& s : one.measured)
      if (s.probe == "size/store/64/o") s = calib::series_of(s.probe, "default", {-1});
  calib::analyse(of);
  const auto& found = of.layers.at(0).cross_checks.prtt;
  REQUIRE(found);
  CHECK_FALSE(found->o.off_percent);
  CHECK(found->o.why_off.empty());
}

TEST_CASE("where there are too few cores the file says so, and the table in one line") {
  const calib::profile of = profile_with(1, false);
  const auto said = validation_of(of);
  for (const char* pattern : {"pairs", "one_to_many", "many_to_one"}) {
    CAPTURE(pattern);
    CHECK(said[pattern]["verdict"].is_null());
    CHECK(said[pattern]["remark"] == "needs 4 cores, has 2");
  }
  CHECK(calib::table_of(of, false).find("pairs, one to many, many to one: needs 4 cores, has 2") !=
        std::string::npos);
}

TEST_CASE("launches of several processes are no launches of the signature") {
  const calib::profile with = profile_with(1, true);
  CHECK(with.layers.size() == 1);
  CHECK(with.layers.front().logp["rtt"].value->n == 6);
  const std::string text = calib::table_of(with, false);
  CAPTURE(text);
  for (const char* part : {"cross-check (PRTT): o 33.0 ns (+10 %), g 40.1 ns (+0 %)",
                           "4 pairs at once: the same to two digits", "one to 7: the same gap",
                           "7 to one: the gap grows with the senders"})
    CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("an exchange that takes another time than is predicted is noted as a remark") {
  const calib::profile slow = profile_with(1.25, false);
  CHECK(slow.layers.front().cross_checks.exchange->off_percent == Approx(-20));
  const std::string line = "an exchange of 64 pieces of other sizes is predicted 20 % too short";
  CHECK(validation_of(slow)["exchange"]["remark"] == line);
  CHECK(std::ranges::count(slow.remarks, "shm: " + line) == 1);
  CHECK(std::ranges::count(slow.remarks,
                           "shm: an exchange of 64 pieces of other sizes that are in no cache is "
                           "predicted 20 % too short") == 1);
  const calib::profile near = profile_with(1.1, false);
  CHECK(near.layers.front().cross_checks.exchange->remark.empty());
  CHECK(validation_of(profile_with(0.5, false))["exchange"]["remark"] ==
        "an exchange of 64 pieces of other sizes is predicted 100 % too long");
}

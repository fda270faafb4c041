// What am-calibrate commtest makes of launches of synthetic layers, whose times are known.
#include <calib/driver/commtest/commtest_result.hpp>
#include <calib/program/commtest/commtest_options.hpp>

#include <doctest/doctest.h>

#include "contains.hpp"
#include "launch_sets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace calib_commtest {
namespace {

using calib::commtest_row;
using calib::swap_protocol;
using calib::swap_set;

// ns, of a packet count in a round.
using time_of =
    std::function<double(const swap_protocol&, swap_set, unsigned packets, unsigned round)>;

constexpr double volume = 131072;

double linear(const swap_protocol& by, swap_set, unsigned packets, unsigned) {
  const double ways = by.ordered ? 2 : 1;
  return ways * (500.0 * packets + 0.1 * volume);
}

calib::launch launched_as(const calib::commtest_result& of, const std::string& layer,
                          unsigned round, const time_of& time) {
  calib::launch out = launched(round, layer);
  out.method = calib::method_of(calib::slices_of(of.scope).front());
  for (const swap_protocol& by : calib::swap_protocols())
    for (const swap_set set : calib::swap_sets) {
      std::vector<double> times;
      for (const unsigned packets : of.scope.packets)
        times.push_back(time(by, set, packets, round));
      const std::string name = std::string(by.name) + '/' + calib::name_of(set);
      out.measured.push_back(calib::series_of(name, out.method + ",T", times));
      out.measured.push_back(
          calib::series_of(name, out.method + ",span", std::vector<double>(times.size(), 1.0)));
    }
  return out;
}

calib::commtest_result rounds_of(unsigned rounds, const time_of& ours,
                                 const time_of& theirs = linear) {
  calib::commtest_result out;
  out.scope = calib::usual_scope();
  out.scope.modes = {calib::cache_mode::initialised};
  out.scope.volumes = {static_cast<std::size_t>(volume)};
  out.environment.allowed_cpus = {0, 1};
  for (unsigned round = 1; round <= rounds; ++round) {
    out.launches.push_back(launched_as(out, "am-shm", round, ours));
    out.launches.push_back(launched_as(out, "openmpi", round, theirs));
  }
  out.rounds = rounds;
  calib::analyse(out);
  return out;
}

const commtest_row& row_of(const calib::commtest_result& from, const std::string& layer,
                           const std::string& protocol, swap_set set) {
  return *std::ranges::find_if(from.rows, [&](const commtest_row& row) {
    return row.layer.name == layer && row.by->name == protocol && row.set == set;
  });
}

bool near(double is, double should_be) {
  return std::abs(is - should_be) < 1e-9 * std::max(1.0, std::abs(should_be));
}

}  // namespace

TEST_CASE("each protocol, set and layer has a row, with the parameters of its synthetic layer") {
  const calib::commtest_result from = rounds_of(6, linear);
  REQUIRE(from.rows.size() == 2 * 21 * 2);
  for (const commtest_row& row : from.rows) {
    CAPTURE(row.by->name);
    const double ways = row.by->ordered ? 2 : 1;
    CHECK(row.runs == 6);
    CHECK(near(row.alpha.of_least, ways * 500));
    CHECK(near(row.latency.of_least, 500));
    CHECK(near(row.beta.of_least, ways * (0.1 + 500 / volume)));
    CHECK(near(row.bandwidth.over_runs.median, 2 / row.beta.of_least));
    REQUIRE(row.alpha.over_runs.interval);
    CHECK(near(row.alpha.over_runs.interval->high, ways * 500));
    CHECK(row.points.size() == 11);
    CHECK(row.error.from == 1);
    CHECK(row.error.to == 1024);
  }
  CHECK(from.failed.empty());
  CHECK(from.remarks.empty());
}

TEST_CASE("the least time is of the first three runs, the median of all") {
  const double factors[] = {1.3, 1.1, 1.2, 1.0, 1.4, 1.5};
  const calib::commtest_result from =
      rounds_of(6, [&](const swap_protocol& by, swap_set set, unsigned packets, unsigned round) {
        return factors[round - 1] * linear(by, set, packets, round);
      });
  const commtest_row& row = row_of(from, "am-shm", "0,3", swap_set::B);
  CHECK(near(row.points[0].time.of_least, 1.1 * (500 + 0.1 * volume)));
  CHECK(near(row.points[0].time.over_runs.median, 1.25 * (500 + 0.1 * volume)));
  CHECK(near(row.alpha.of_least, 1.1 * 500));
  CHECK(near(row.alpha.over_runs.median, 1.25 * 500));
  REQUIRE(row.alpha.over_runs.interval);
  CHECK(near(row.alpha.over_runs.interval->low, 500));
  CHECK(near(row.alpha.over_runs.interval->high, 750));
}

TEST_CASE("a layer that changes its protocol is judged over the dominant one") {
  const calib::commtest_result from =
      rounds_of(3, [](const swap_protocol& by, swap_set set, unsigned packets, unsigned round) {
        return linear(by, set, packets, round) + (packets < 8 ? volume : 0);
      });
  const calib::model_error& error = row_of(from, "am-shm", "0,3", swap_set::A).error;
  CHECK(error.from == 8);
  CHECK(error.to == 1024);
  CHECK(row_of(from, "openmpi", "0,3", swap_set::A).error.from == 1);
  const std::string table = calib::table_of(from, calib::terminal::look{});
  CAPTURE(table);
  CHECK(contains(table, " 8..1024\n"));
  CHECK_FALSE(contains(table, " 1..1024"));
}

TEST_CASE("the best protocols are named in one sentence for each layer") {
  const calib::commtest_result from =
      rounds_of(3, [](const swap_protocol& by, swap_set set, unsigned packets, unsigned round) {
        const std::string name = by.name;
        double out = linear(by, set, packets, round);
        if (name == "0,9" && set == swap_set::B) out -= 0.05 * volume;
        if (name == "1,4" && set == swap_set::A) out -= 400.0 * packets;
        return out;
      });
  REQUIRE(from.best.size() == 2);
  const std::string& ours = from.best[0];
  CAPTURE(ours);
  CHECK(
      ours.starts_with("am-shm, pair 0-1, 128KB, initialised: of the unordered ones 0,9 B swaps"));
  CHECK(contains(ours,
                 "has the least latency, 0.50 us (0.50), with 19 more within 5 %; of the "
                 "ordered ones 1,4 A"));
  CHECK(contains(ours, "1,4 A has the least latency, 0.30 us (0.30)."));
  CHECK(contains(from.best[1], "with 19 more within 5 %"));
}

TEST_CASE("the least latency is that of the median, whatever noise makes of the least times") {
  const calib::commtest_result from =
      rounds_of(7, [](const swap_protocol& by, swap_set set, unsigned packets, unsigned round) {
        const std::string name = by.name;
        const double usual = linear(by, set, packets, round);
        // A long time of 512 packets makes the latency of a run small.
        if (name == "0,2" && packets == 512) return usual + (round <= 3 ? 200e3 : 0);
        if (name == "0,4" && packets >= 512) return usual - 60.0 * packets;
        // Every second run is below 0.
        if (name == "0,7" && packets == 512) return usual + (round % 2 == 0 ? 260e3 : 0);
        if (name == "0,7" && packets == 1024) return usual - 100e3;
        return usual;
      });
  const std::string& ours = from.best.front();
  CAPTURE(ours);
  const commtest_row& lucky = row_of(from, "am-shm", "0,2", swap_set::A);
  CHECK(lucky.latency.of_least > 0);
  CHECK(lucky.latency.of_least < row_of(from, "am-shm", "0,4", swap_set::A).latency.of_least);
  const commtest_row& wide = row_of(from, "am-shm", "0,7", swap_set::A);
  REQUIRE(wide.latency.over_runs.interval);
  CHECK(wide.latency.over_runs.interval->low < 0);
  CHECK(wide.latency.over_runs.median > 0);
  CHECK(contains(ours, "0,4 A has the least latency, 0.44 us (0.44, 0.44 .. 0.44), with 1 more"));
}

TEST_CASE("where every latency may be 0 none is the least") {
  const calib::commtest_result from =
      rounds_of(6, [](const swap_protocol& by, swap_set set, unsigned packets, unsigned round) {
        return linear(by, set, packets, round) + (packets == 512 && round == 4 ? 2e6 : 0);
      });
  CHECK(contains(from.best.front(), "no latency is certainly above 0"));
}

TEST_CASE("what there is until a measurement is stopped is kept") {
  calib::commtest_result from;
  from.scope = calib::full_scope();
  from.scope.packets = {1, 512, 1024};
  from.launches.push_back(launched_as(from, "am-shm", 1, linear));
  from.launches.back().measured.resize(10);
  from.launches.back().fault = "stopped";
  from.complete = false;
  calib::analyse(from);
  CHECK(from.rows.size() == 5);
  CHECK(from.failed.empty());
  CHECK(std::ranges::any_of(from.remarks, [](const std::string& line) {
    return line == "the least times are of 1 run and not of 3 in places";
  }));
  CHECK(contains(calib::table_of(from, calib::terminal::look{}), "Stopped before the end."));
}

TEST_CASE("the times of a launch that fails do not count") {
  calib::commtest_result from;
  from.scope = calib::quick_scope();
  from.environment.allowed_cpus = {0, 1};
  for (unsigned round = 1; round <= 4; ++round)
    from.launches.push_back(launched_as(from, "am-shm", round, linear));
  from.launches.front().fault = "a wrong word";
  calib::analyse(from);
  REQUIRE(from.rows.size() == 21 * 2);
  for (const commtest_row& row : from.rows) CHECK(row.runs == 3);
}

TEST_CASE("launches that fail are named, and spans that are longer than the times") {
  calib::commtest_result from;
  from.scope = calib::quick_scope();
  from.environment.allowed_cpus = {0, 1};
  for (unsigned round = 1; round <= 3; ++round)
    from.launches.push_back(launched_as(from, "am-shm", round, linear));
  for (calib::launch& one : from.launches)
    for (calib::series& s : one.measured)
      if (s.probe == "0,1/A" && s.variant.ends_with("span")) s.samples.assign(5, 1.5);
  from.launches.push_back(launched(3, "mpich"));
  from.launches.back().fault = "killed";
  from.launches.push_back(launched(3, "am-shm"));
  from.launches.back().fault = "a wrong word";
  calib::analyse(from);
  REQUIRE(from.failed.size() == 1);
  CHECK(contains(from.failed.front(), "a wrong word"));
  REQUIRE(from.unfit.size() == 1);
  CHECK(contains(from.unfit.front(), "killed"));
  REQUIRE(from.remarks.size() == 1);
  CHECK(contains(from.remarks.front(), "more than 1.1 times as long as 5 of 210 times"));
  CHECK(contains(from.remarks.front(), "1.5 times"));
}

TEST_CASE("pairs that share CPUs are remarked upon") {
  calib::commtest_result from;
  from.scope = calib::full_scope();
  from.environment.allowed_cpus = {0, 1};
  calib::analyse(from);
  REQUIRE(from.remarks.size() == 2);
  CHECK(contains(from.remarks[0], "pair 0-2: 4 processes share 2 CPUs: libam and Open MPI"));
  CHECK(contains(from.remarks[1], "pair 0-2+1-3: 4 processes share 2 CPUs"));
}

TEST_CASE("the page has a point for every value, and the sentences below the pictures") {
  calib::commtest_result from = rounds_of(6, linear);
  from.unfit = {"<unfit>"};
  const std::string page = calib::page_of(from).text();
  // Of each layer 11 times and bandwidths of two protocols, alpha and beta of 42.
  CHECK(count(page, "<title>") == 1 + 2 * (2 * 2 * 11 + 2 * 42));
  CHECK(count(page, "<figure>") == 3);
  // Busy and idle: of an ordered protocol twice as long, and in both directions.
  CHECK(count(page, "<title>1: am-shm 9.63 (9.63 .. 9.63)</title>") == 2);
  CHECK(contains(page, "<figcaption>" + from.best[0] + '\n' + from.best[1] + "</figcaption>"));
  for (const char* text :
       {"<title>1024: am-shm 525 (525 .. 525), model 526</title>",
        "<title>1,0: openmpi B 1000 (1000 .. 1000)</title>", "<td>1000 <small>1000 .. 1000</small>",
        "<th scope='col'>am-shm 0,0 A</th>", "<th scope='col'>am-shm 1,0 A</th>",
        "<p class='warning'>&lt;unfit&gt;</p>", "download='beta-shm-0-1-initialised-131072.csv'"})
    CHECK_MESSAGE(contains(page, text), std::string(text));
  CHECK_FALSE(contains(page.substr(0, page.find("<script")), "http"));
}

TEST_CASE("an alpha below 0 has a point, in front of the decades") {
  const calib::commtest_result from =
      rounds_of(6, [](const swap_protocol&, swap_set, unsigned packets, unsigned) {
        return packets == 1024 ? 1000.0 : 2000.0;
      });
  const std::string page = calib::page_of(from).text();
  CHECK(count(page, "<title>") == 1 + 2 * (2 * 2 * 11 + 2 * 42));
  CHECK(contains(page, ">≤ 0</text>"));
}

TEST_CASE("a pair beside another has a part of the bandwidth that it has alone") {
  calib::commtest_result from;
  from.scope = calib::quick_scope();
  from.scope.modes = {calib::cache_mode::initialised};
  from.scope.pairs = {"0-2", "0-2+1-3"};
  from.environment.allowed_cpus = {0, 1, 2, 3};
  for (unsigned round = 1; round <= 6; ++round)
    for (const calib::commtest_slice& slice : calib::slices_of(from.scope)) {
      const double times = slice.pairs == "0-2" ? 1 : 4;
      calib::launch one = launched_as(
          from, "am-shm", round, [&](const swap_protocol& by, swap_set set, unsigned n, unsigned) {
            return times * linear(by, set, n, 0);
          });
      for (calib::series& s : one.measured)
        s.variant.replace(0, one.method.size(), calib::method_of(slice));
      one.method = calib::method_of(slice);
      from.launches.push_back(one);
    }
  calib::analyse(from);
  const std::string page = calib::page_of(from).text();
  CHECK(
      contains(page, "\nam-shm: 0.25 times as much in pair 0-2+1-3 as in pair 0-2.</figcaption>"));
  CHECK(contains(page, "<title>am-shm: 4.82 (4.82 .. 4.82)</title>"));
  CHECK(contains(page, "download='pairs-shm-128KB-initialised.csv'"));
}

TEST_CASE("a terminal has the curves of every slice, or of the first over each transport") {
  calib::commtest_result from = rounds_of(3, linear);
  from.rows.insert(from.rows.end(), from.rows.begin(), from.rows.begin() + 42);
  for (auto row = from.rows.end() - 42; row != from.rows.end(); ++row) row->slice.volume = 8192;
  from.best.emplace_back("one more");
  calib::terminal::look how{calib::terminal::characters::ascii, false, false};
  const std::string whole = calib::table_of(from, how);
  for (const char* text :
       {"most: shm, pair 0-1, 128KB, init", "most: shm, pair 0-1, 8KB, init",
        "  o am-shm   x openmpi\n", "ordered: us against packets", "busy: GB/s against packets"})
    CHECK_MESSAGE(contains(whole, text), std::string(text));
  how.brief = true;
  CHECK_FALSE(contains(calib::table_of(from, how), "most: shm, pair 0-1, 8KB"));
}

TEST_CASE("the tables have every protocol, in both sets") {
  const calib::commtest_result from = rounds_of(6, linear);
  const std::string table = calib::table_of(from, calib::terminal::look{});
  CAPTURE(table);
  CHECK(contains(table, "\nam-shm, pair 0-1, 128KB, initialised\n"));
  CHECK(contains(table, "A latency"));
  CHECK(contains(table, "B err"));
  for (const swap_protocol& by : calib::swap_protocols())
    CHECK(contains(table, std::string("\n  ") + by.name + "  "));
  CHECK(contains(table, "0.50  0.50 0.50..0.50"));
  CHECK(contains(table, "\nWhich protocol is best\n  - am-shm"));
}

TEST_CASE("everything is 27 slices of 11 packet counts") {
  const calib::commtest_scope full = calib::full_scope();
  CHECK(calib::slices_of(full).size() == 3 * 3 * 3);
  CHECK(full.packets.size() == 11);
  CHECK(calib::method_of(calib::slices_of(full).front()) == "0-1/invalidated/2097152");
}

}  // namespace calib_commtest

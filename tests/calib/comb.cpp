// What am-calibrate comb makes of curves and launches whose figures are known.
#include <calib/driver/comb/comb_result.hpp>

#include <doctest/doctest.h>

#include "contains.hpp"
#include "launch_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using calib::traded_point;

std::vector<traded_point> curve_above(double above) {
  std::vector<traded_point> out;
  for (unsigned i = 0; i <= 10; ++i) out.push_back({i, i / 10.0, 1 - i / 10.0 + above});
  return out;
}

// A layer that offloads and whose bandwidth is `peak` GB/s, or twice as much work alone as with
// messages where it does not.
void add_round(calib::comb_result& to, unsigned round, const std::string& layer, double peak) {
  calib::launch one = launched(round, layer);
  for (const auto& [name, ns] : {std::pair("iteration/before", 1.0), {"iteration/after", 1.1}})
    with(one, name, ns);
  for (const double interval : {0.0, 100.0, 1000.0, 10'000.0}) {
    const std::string at = "polling/1000/4/" + std::to_string(static_cast<int>(interval)) + '/';
    with(one, at + "dry", interval);
    with(one, at + "piece", interval + 10);
    with(one, at + "bytes", peak * std::min(interval + 10, 1010.0));
  }
  for (const double work : {0.0, 400.0, 800.0, 1000.0, 4000.0}) {
    const std::string at = "pww/1000/4/" + std::to_string(static_cast<int>(work)) + '/';
    with(one, at + "dry", work);
    with(one, at + "post", 10);
    with(one, at + "work", work + (work > 1000 ? 400 : 40));
    with(one, at + "wait", std::max(1000 - work, 0.0));
  }
  to.launches.push_back(one);
  ++to.rounds;
}

calib::comb_result comb_rounds_of(const std::string& layer) {
  calib::comb_result out;
  for (unsigned round = 1; round <= 8; ++round) add_round(out, round, layer, 1 + round / 100.0);
  out.rounds = 8;
  calib::analyse(out);
  return out;
}

calib::estimate between(double median, double low, double high) {
  return {median, calib::estimate::bounds{low, high}, 8};
}

std::string verdict_for(const std::optional<calib::estimate>& hidden,
                        const calib::estimate& overhead_part) {
  calib::pww_curve out;
  out.of = {"pww", 1000, 4};
  out.hidden = hidden;
  out.slope = between(-0.5, -0.5, -0.5);
  out.alone.median = 3100;
  out.behind = between(15'000, 14'000, 16'000);
  calib::pww_point& at = out.points.emplace_back();
  at.dry.median = 50'000;
  at.overhead.median = 2000;
  at.overhead_part = overhead_part;
  return calib::verdict_of(out);
}

}  // namespace

TEST_CASE("the figure of merit is the area under the curve") {
  using calib::figure_of_merit;
  CHECK(figure_of_merit({{0, 0, 1}, {1, 1, 1}, {2, 1, 0.1}}) == doctest::Approx(1));
  CHECK(figure_of_merit(curve_above(0)) == doctest::Approx(0.5));
  CHECK(figure_of_merit({}) == doctest::Approx(0.5));
  CHECK(figure_of_merit({{0, 0, 1}, {1, 0.5, 0}}) == doctest::Approx(0.5));
  CHECK(figure_of_merit({{0, 0, 1}, {1, 0.5, 0.5}, {2, 0.8, 0.1}}) <= 0.5);
  CHECK(figure_of_merit({{0, 0, 1}, {1, 0.8, 0.8}}) == doctest::Approx(0.8));
  // What another point is better than in both counts for nothing; nothing counts beyond 1.
  CHECK(figure_of_merit({{0, 0, 1}, {1, 0.8, 0.8}, {2, 0.7, 0.3}}) == doctest::Approx(0.8));
  CHECK(figure_of_merit({{0, 0, 1}, {1, 1.2, 1.3}}) == doctest::Approx(1));
}

TEST_CASE("the knee is the point farthest above the line, or there is none") {
  CHECK_FALSE(calib::find_knee(curve_above(0)));
  CHECK_FALSE(calib::find_knee(curve_above(0.05)));
  CHECK_FALSE(calib::find_knee({}));
  const auto knee = calib::find_knee(
      {{0, 0, 1}, {10, 0.5, 1}, {100, 0.9, 0.99}, {1000, 0.99, 0.89}, {9, 1, 0.2}});
  REQUIRE(knee);
  CHECK(knee->iterations == 1000);
}

TEST_CASE("a curve that lies below the line is told from one on it") {
  CHECK(calib::farthest_below(curve_above(0)) < 0.001);
  CHECK(calib::farthest_below(curve_above(0.3)) < 0.001);
  CHECK(calib::farthest_below({{0, 0, 1}, {1, 0.3, 0.3}, {2, 0.8, 0.1}}) == doctest::Approx(0.4));
  // A point below it does not count where others are better in both.
  CHECK(calib::farthest_below({{0, 0, 1}, {1, 0.3, 0.3}, {2, 0.5, 0.5}}) < 0.001);
  calib::polling_curve polling;
  polling.of = {"polling", 1000, 4};
  for (const auto& [above, words] :
       {std::pair(0.05, "no knee: each is had at the cost of the other"),
        {-0.05, "no knee: each is had at the cost of the other"},
        {-0.3, "no knee: work and messages keep each other waiting"}}) {
    polling.traded = curve_above(above);
    CHECK(calib::verdict_of(polling, 1) == std::string("polling, 1 KB x 4: ") + words);
  }
}

TEST_CASE("a verdict is given only where the whole interval has it") {
  for (const auto& [hidden, words] :
       {std::pair(between(0.95, 0.91, 1), "offload: 95 % of the wait vanishes (slope -0.50)"),
        {between(0.95, 0.8, 1), "part offload: 95 % of the wait vanishes (slope -0.50)"},
        {between(0.5, 0.2, 0.8), "part offload: 50 % of the wait vanishes (slope -0.50)"},
        {between(0.5, 0.05, 0.8), "offload is not known well enough: 50 % (5 .. 80 %)"},
        {between(0, -0.1, 0.1), "no offload: the wait does not depend on the work"},
        {between(0, -0.2, 0.05), "offload is not known well enough: 0 % (-20 .. 5 %)"},
        {between(0, -55, 0.08), "offload is not known well enough: 0 % (-5500 .. 8 %)"},
        {between(-3.8, -4, -0.11), "no offload: the wait grows from 3.10 us to 15.0 us"},
        {calib::estimate{0.95, {}, 5},
         "offload is not known well enough: 95 % (too few rounds for an interval)"}})
    CHECK(verdict_for(hidden, between(0, 0, 0.02)) ==
          std::string("pww, 1 KB x 4: ") + words + "; no overhead in the work");
  CHECK(verdict_for({}, between(0, 0, 0)) ==
        "pww, 1 KB x 4: offload is not known: no work is 1 to 3 times as long as the wait without "
        "work; no overhead in the work");
  for (const auto& [part, words] :
       {std::pair(between(0.04, 0.021, 0.06), "50.0 us of work take 2.00 us more (4 %)"),
        {between(0.04, 0.02, 0.06), "overhead is not known well enough: 4 % (2 .. 6 %)"},
        {between(0.01, 0, 0.03), "overhead is not known well enough: 1 % (0 .. 3 %)"},
        {calib::estimate{0.01, {}, 5},
         "overhead is not known well enough: 1 % (too few rounds for an interval)"}})
    CHECK(verdict_for(between(0, 0, 0), part) ==
          std::string("pww, 1 KB x 4: no offload: the wait does not depend on the work; ") + words);
}

TEST_CASE("overlap is seen in the wait") {
  const auto overlap_at = [](std::initializer_list<double> works) {
    std::vector<calib::pww_times> half;
    for (const double work : works) {
      // Behind long work the other process has fallen asleep.
      const double wait = work > 360 ? 900 : std::max(100 - work / 2, 50.0);
      half.push_back({static_cast<std::uint64_t>(work), work, 5, work * 1.1, 0, wait});
    }
    return calib::overlap_of(half);
  };
  const calib::overlap found = overlap_at({0, 20, 60, 100, 400, 1000, 4000});
  CHECK(found.alone == 100);
  CHECK(found.behind.value() == doctest::Approx(50));
  CHECK(found.hidden.value() == doctest::Approx(0.5));
  CHECK(found.slope.value() == doctest::Approx(-0.5));
  // Work of the lengths that they need is missing.
  CHECK_FALSE(overlap_at({0, 20, 60, 400}).hidden);
  CHECK(overlap_at({0, 20, 60, 400}).slope);
  CHECK_FALSE(overlap_at({0, 60, 100, 400}).slope);
  CHECK(overlap_at({0, 60, 100, 400}).hidden);
}

TEST_CASE("figures are taken within rounds, with their intervals") {
  const calib::comb_result from = comb_rounds_of("am-shm");
  REQUIRE(from.layers.size() == 1);
  const calib::comb_layer& layer = from.layers.front();
  CHECK(layer.iteration.median == 1);
  CHECK(layer.drift.median == doctest::Approx(0.1));
  REQUIRE(from.remarks.size() == 1);
  CHECK(from.remarks.front() == "am-shm: an iteration of the work took +10 % after all else");
  REQUIRE(layer.polling.size() == 1);
  const calib::polling_curve& polling = layer.polling.front();
  CHECK(polling.merit.n == 8);
  REQUIRE(polling.merit.interval);
  // The peak differs between rounds, but the share of it does not.
  CHECK(polling.merit.interval->low == doctest::Approx(polling.merit.interval->high));
  CHECK(polling.points.front().bandwidth.interval->low < 1.03);
  CHECK(polling.points.front().bandwidth.interval->high > 1.06);
  REQUIRE(polling.knee);
  CHECK(polling.knee->iterations == 1000);
  REQUIRE(layer.pww.size() == 1);
  CHECK(layer.pww.front().points[layer.pww.front().loaded].overhead.median == doctest::Approx(40));
  CHECK(layer.pww.front().hidden->median == doctest::Approx(1));
  REQUIRE(layer.verdicts.size() == 2);
  CHECK(layer.verdicts[0] ==
        "polling, 1 KB x 4: knee at 1000 iterations (1.00 us): 100 % of the peak, availability "
        "0.99");
  CHECK(layer.verdicts[1] ==
        "pww, 1 KB x 4: offload: 100 % of the wait vanishes (slope -1.00); 1.00 us of work take "
        "0.040 us more (4 %)");
}

TEST_CASE("bandwidth is a share of that without work, in its round, and at most 1") {
  calib::comb_result from;
  for (unsigned round = 1; round <= 8; ++round) {
    calib::launch one = launched(round, "am-shm");
    // Without work 1 GB/s, or 2 in every other round; with the one work half, with the other more.
    for (const auto& [work, part] : {std::pair(0.0, 1.0), {1000.0, 0.5}, {9000.0, 1.5}}) {
      const std::string at = "polling/1000/4/" + std::to_string(static_cast<int>(work)) + '/';
      with(one, at + "dry", work);
      with(one, at + "piece", work + 1000);
      with(one, at + "bytes", (work + 1000) * part * (round % 2 + 1));
    }
    from.launches.push_back(one);
  }
  calib::analyse(from);
  const calib::polling_curve& curve = from.layers.front().polling.front();
  CHECK(curve.peak == doctest::Approx(1.5));
  CHECK(curve.traded[1].share == doctest::Approx(0.5));
  CHECK(curve.traded[2].share == 1);
  // The rectangle up to an availability of 0.9, and the triangle beyond it.
  CHECK(curve.merit.median == doctest::Approx(0.95));
  CHECK(curve.merit.interval->high == doctest::Approx(0.95));
  CHECK(calib::bandwidth_at(curve, 0.5) == doctest::Approx(2.25));
  CHECK(calib::bandwidth_at(curve, 0.95) == 0);
}

TEST_CASE("a launch that failed is reported, and what it measured does not count") {
  calib::comb_result from;
  from.sweep.bytes = {1000, 20'000};
  for (const char* layer : {"am-shm", "mpich", "openmpi"}) add_round(from, 1, layer, 1);
  for (const auto& [layer, size] : {std::pair("am-shm", "1 KB"),
                                    {"am-shm", "1 KB"},
                                    {"mpich", "1 KB"},
                                    {"openmpi", "20 KB"},
                                    {"am-slow", ""},
                                    {"other", ""}}) {
    add_round(from, 2, layer, 1);
    from.launches.back().method = size;
    from.launches.back().fault = "killed";
  }
  calib::analyse(from);
  REQUIRE(from.layers.size() == 3);
  CHECK(from.layers.front().polling.front().merit.n == 1);
  // Of ours one failure is one too many; of a peer it is none if another launch had the curve.
  CHECK(from.failed == std::vector<std::string>{"am-shm, 1 KB: killed", "am-slow: killed"});
  CHECK(from.remarks.back() == "mpich over shm, 1 KB: killed (in one of its launches)");
  CHECK(from.unfit == std::vector<std::string>{"openmpi over shm, 20 KB: killed",
                                               "other over shm, 1 KB: killed",
                                               "other over shm, 20 KB: killed"});
}

TEST_CASE("what was stopped has not failed") {
  calib::comb_result from;
  add_round(from, 1, "am-shm", 1);
  from.launches.back().fault = "stopped";
  from.complete = false;
  calib::analyse(from);
  CHECK(from.failed.empty());
}

TEST_CASE("without a slope JSON has null, and words have none") {
  calib::comb_result from = comb_rounds_of("am-shm");
  calib::pww_curve& curve = from.layers.front().pww.front();
  curve.slope.reset();
  CHECK(calib::verdict_of(curve).find("100 % of the wait vanishes; 1.00 us") != std::string::npos);
  CHECK(calib::json_of(from).find(R"("slope": null)") != std::string::npos);
}

TEST_CASE("the page has a point for every value, and says below each picture what it shows") {
  calib::comb_result from;
  for (unsigned round = 1; round <= 8; ++round)
    for (const char* layer : {"am<shm", "mpich"}) add_round(from, round, layer, 1 + round / 100.0);
  from.rounds = 8;
  from.missing = {"openmpi: <not built>"};
  calib::analyse(from);
  from.unfit = {"a & b"};
  const std::string page = calib::page_of(from).text();
  // Of each layer polling has 4 points, post-work-wait 5; and two merits.
  CHECK(count(page, "<title>") == 1 + 2 * (3 * 4 + (3 + 3) * 5 + 2));
  CHECK(contains(page,
                 "<figcaption>am&lt;shm: knee at 1000 iterations (1.00 us): 100 % of the peak, "
                 "availability 0.99.\nmpich: knee at 1000"));
  CHECK(contains(page, "am&lt;shm: offload: 100 % of the wait vanishes (slope -1.00); 1.00 us"));
  for (const char* text :
       {"<p class='warning'>a &amp; b</p>", "<p>openmpi: &lt;not built&gt;</p>",
        "<title>1k: am&lt;shm 1.04 (1.01 .. 1.08)</title>",
        "<title>800: wait 0.20 (0.20 .. 0.20), work alone 0.80 (0.80 .. 0.80)</title>",
        "<td>1.04 <small>1.01 .. 1.08</small></td>",
        "<title>am&lt;shm: 0.99 (0.99 .. 0.99)</title>"})
    CHECK_MESSAGE(contains(page, text), std::string(text));
  for (const char* text : {"am<shm<", "http", "Stopped", "<not built"})
    CHECK_MESSAGE(!contains(page.substr(0, page.find("<script")), text), std::string(text));
}

TEST_CASE("the page of a measurement that was stopped at once says so, and has no picture") {
  calib::comb_result from;
  from.launches.push_back(launched(1, "am-shm"));
  from.launches.back().fault = "stopped";
  from.complete = false;
  calib::analyse(from);
  const std::string page = calib::page_of(from).text();
  CHECK(contains(page, "<p class='warning'>Stopped before the end.</p>"));
  CHECK(count(page, "<figure>") == 0);
}

TEST_CASE("a terminal has the curves of every size, or of the largest of each transport") {
  calib::comb_result from = comb_rounds_of("am-shm");
  calib::comb_layer& layer = from.layers.front();
  layer.polling.push_back(layer.polling.front());
  layer.polling.back().of.bytes = 2000;
  calib::terminal::look how{calib::terminal::characters::ascii, false, false};
  const std::string whole = calib::table_of(from, how);
  for (const char* head : {"\nPolling over shm: 1 KB x 4, interval in iterations\n",
                           "\nPolling over shm: 2 KB x 4, interval in iterations\n",
                           "\nPost-work-wait over shm: 1 KB x 4, work in iterations\n",
                           "  GB/s against interval", "am-shm: us against work"})
    CHECK_MESSAGE(contains(whole, head), std::string(head));
  how.brief = true;
  const std::string brief = calib::table_of(from, how);
  CHECK_FALSE(contains(brief, "1 KB x 4, interval in iterations"));
  CHECK(contains(brief, "2 KB x 4, interval in iterations"));
  how.with = calib::terminal::characters::none;
  CHECK_FALSE(contains(calib::table_of(from, how), "in iterations\n"));
}

TEST_CASE("tables and JSON have every curve") {
  const calib::comb_result from = comb_rounds_of("am-shm");
  const std::string table = calib::table_of(from, calib::terminal::look{});
  for (const char* part : {"\nPolling over shm: 1 KB x 4\n", "\nPost-work-wait over shm: 1 KB x 4",
                           "\nam-shm over shm\n  polling, 1 KB x 4: knee at 1000"})
    CHECK(table.find(part) != std::string::npos);
  const std::string json = calib::json_of(from);
  for (const char* part : {R"("schema": "am-comb/1")", R"("method": "polling")", R"("knee":)"})
    CHECK(json.find(part) != std::string::npos);
}

// Conditions in which a rank is slow, because something else uses its core, by made-up paces.
#include "profiles.hpp"

#include <calib/driver/measure/line_conditions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

using calib::line_condition;

namespace {

// At the ends of samples: so many times the line takes 56 ns, and the ranks compute so long.
struct pace {
  std::array<double, 2> ns;
  std::size_t count;
};

calib::series series_at(std::initializer_list<pace> paces) {
  calib::series out;
  for (const pace& one : paces) out.paces.insert(out.paces.end(), one.count, one.ns);
  out.lines.assign(out.paces.size(), 56);
  out.samples.resize(out.paces.size() - 1);
  std::iota(out.samples.begin(), out.samples.end(), 0);
  return out;
}

std::vector<line_condition> conditions_at(std::initializer_list<pace> paces) {
  const calib::launch one = launch_with({series_at(paces)});
  return calib::find_conditions({&one, 1});
}

}  // namespace

TEST_CASE("the ranks that are slow make a condition of its own") {
  const auto found = conditions_at({{{1100, 1110}, 500}, {{1110, 2100}, 301}, {{1600, 1500}, 201}});
  REQUIRE(found.size() == 3);
  CHECK(found[0].slow_ranks.empty());
  CHECK(found[1].slow_ranks == std::vector<unsigned>{1});
  CHECK(found[1].share == doctest::Approx(0.3).epsilon(0.01));
  CHECK(found[2].slow_ranks == std::vector<unsigned>{0, 1});
  CHECK(calib::text_of(found[0], std::span(found).subspan(1)) ==
        "line 56 ns 50 % of the samples (this profile), 56 ns with rank 1 slow 30 %, 56 ns with "
        "both ranks slow 20 %");
  CHECK(calib::place_of(conditions_at({{{1100, 1100}, 99}, {{2000, 1100}, 900}})[0]) ==
        "56 ns with rank 0 slow");
}

TEST_CASE("of the line that is most frequent, the condition without slow ranks comes first") {
  const auto found = conditions_at({{{1000, 1000}, 170}, {{1000, 2000}, 500}, {{2000, 2000}, 330}});
  REQUIRE(found.size() == 3);
  CHECK(found[0].slow_ranks.empty());
  CHECK(found[1].slow_ranks == std::vector<unsigned>{1});
  CHECK(found[2].slow_ranks == std::vector<unsigned>{0, 1});
  // Not if it had less than 15 %.
  CHECK(conditions_at({{{1000, 1000}, 120}, {{1000, 2000}, 880}})[0].slow_ranks.size() == 1);
}

// Where the line takes 330 ns, so many samples without slow ranks, beside others where it takes 56.
std::vector<line_condition> conditions_beside_far(std::size_t count,
                                                  std::initializer_list<pace> beside) {
  calib::series away = series_at({{{1000, 1000}, count}});
  std::ranges::fill(away.lines, 330);
  const calib::launch both = launch_with({away, series_at(beside)});
  return calib::find_conditions({&both, 1});
}

TEST_CASE("the line that is most frequent counts with all of its slow ranks") {
  CHECK(conditions_beside_far(300, {{{1000, 2000}, 700}})[0].slow_ranks ==
        std::vector<unsigned>{1});
  const auto found =
      conditions_beside_far(400, {{{1000, 1000}, 100}, {{1000, 2000}, 300}, {{2000, 1000}, 200}});
  CHECK(found[0].line_ns == 56);
  CHECK(found[0].slow_ranks == std::vector<unsigned>{1});
  CHECK(found[1].line_ns == 330);
}

TEST_CASE("if no condition had 15 % of the samples there is none") {
  const auto four_ways = [](std::size_t first) {
    return series_at(
        {{{1000, 1000}, first}, {{1000, 2000}, 130}, {{2000, 1000}, 130}, {{2000, 2000}, 130}});
  };
  calib::series away = four_ways(130);
  std::ranges::fill(away.lines, 330);
  const calib::launch alike = launch_with({away, four_ways(130)});
  CHECK(calib::find_conditions({&alike, 1}).empty());
  const calib::launch one_more = launch_with({away, four_ways(190)});
  CHECK(calib::find_conditions({&one_more, 1}).size() == 8);
}

TEST_CASE("conditions agree if the usual paces of their ranks do") {
  const line_condition one{56, 50, 60, 0.5, {}, {1000, 1000}};
  line_condition other = one;
  other.usual_paces = {1000, 1200};
  CHECK(one.agrees_with(other));
  other.usual_paces = {1000, 1900};  // shared all the time
  CHECK_FALSE(one.agrees_with(other));
  CHECK_FALSE(other.agrees_with(one));
  other.usual_paces = {};  // of an earlier am-calibrate
  CHECK_FALSE(one.agrees_with(other));
  CHECK(other.agrees_with(other));
}

TEST_CASE(
    "a rank is slow by its own usual pace, a fifth more is usual, and so is what never changes") {
  CHECK(conditions_at({{{1000, 2000}, 1000}}).at(0).slow_ranks.empty());
  CHECK(conditions_at({{{1000, 1000}, 500}, {{1200, 1000}, 500}}).size() == 1);
  // Some stray times that are short are not the usual pace.
  CHECK(conditions_at({{{500, 1000}, 10}, {{1000, 1000}, 990}}).at(0).slow_ranks.empty());
}

TEST_CASE("a rank of whose pace nothing is known is not slow") {
  const auto found = conditions_at({{{0, 0}, 500}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].slow_ranks.empty());
  calib::series without = series_at({{{0, 0}, 500}});
  without.paces.clear();
  const calib::launch one = launch_with({without});
  CHECK(calib::find_conditions({&one, 1}).at(0).slow_ranks.empty());
}

TEST_CASE("a sample belongs to the condition whose ranks were slow at both of its ends") {
  const calib::launch whole =
      launch_with({series_at({{{1000, 1000}, 3}, {{1000, 2000}, 3}, {{1000, 1000}, 1}})});
  for (const line_condition& one : calib::find_conditions({&whole, 1})) {
    CAPTURE(calib::place_of(one));
    const calib::launch part = calib::in_condition(whole, one);
    CHECK(part.measured.at(0).samples ==
          (one.slow_ranks.empty() ? std::vector<double>{0, 1} : std::vector<double>{3, 4}));
  }
}

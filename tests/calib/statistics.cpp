// Oracles of the statistics: ranks as they stand in tables, and warm-up where it was put.
#include <calib/statistics.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace {

std::vector<double> one_to(std::size_t n) {
  std::vector<double> out;
  for (std::size_t i = n; i > 0; --i) out.push_back(static_cast<double>(i));
  return out;
}

}  // namespace

TEST_CASE("the median is the middle, or the mean of the two in the middle") {
  CHECK(calib::median({7}) == 7);
  CHECK(calib::median({3, 1}) == 2);
  CHECK(calib::median({9, 1, 5}) == 5);
  CHECK(calib::median({4, 1, 3, 2}) == 2.5);
  CHECK(calib::median({1, 1000, 2, 3, 4}) == 3);
}

TEST_CASE("the ranks of the 95 % interval are exact for small n and round outwards for large") {
  const struct {
    std::size_t n, low, high;
  } table[] = {{6, 1, 6},   {7, 1, 7},    {8, 1, 8},    {9, 2, 8},     {10, 2, 9},
               {20, 6, 15}, {50, 18, 33}, {70, 27, 44}, {100, 40, 61}, {1000, 469, 532}};
  for (const auto& row : table) {
    CAPTURE(row.n);
    const auto found = calib::median_ranks(row.n);
    REQUIRE(found);
    CHECK(found->low == row.low);
    CHECK(found->high == row.high);
  }
}

TEST_CASE("fewer than six samples have no 95 % interval") {
  for (std::size_t n = 0; n < 6; ++n) CHECK_FALSE(calib::median_ranks(n));
  const auto five = calib::estimate_of({1, 2, 3, 4, 5});
  CHECK(five.median == 3);
  CHECK(five.n == 5);
  CHECK_FALSE(five.interval);
  CHECK_FALSE(five.within(100));
}

TEST_CASE("an estimate takes its interval from the ranks, in whatever order the samples came") {
  const auto e = calib::estimate_of(one_to(10));
  CHECK(e.median == 5.5);
  REQUIRE(e.interval);
  CHECK(e.interval->low == 2);
  CHECK(e.interval->high == 9);
}

TEST_CASE("reached means that both ends of the interval are near") {
  const auto near = calib::estimate_of({96, 98, 100, 100, 102, 104});
  CHECK(near.within(0.05));
  CHECK_FALSE(near.within(0.03));
  CHECK_FALSE(calib::estimate_of({94, 100, 100, 100, 100, 100}).within(0.05));
  CHECK_FALSE(calib::estimate_of({100, 100, 100, 100, 100, 106}).within(0.05));
}

TEST_CASE("warm-up is what drifts before the samples look like their second half") {
  std::vector<double> samples = {900, 700, 500, 300, 200, 150, 120};
  const std::size_t drifting = samples.size();
  for (int i = 0; i < 40; ++i) samples.push_back(100 + i % 5);
  const std::size_t found = calib::warm_up(samples);
  // The median of five is warm as soon as three of them are.
  CHECK(found >= drifting - 2);
  CHECK(found <= drifting);
}

TEST_CASE("no drift, no warm-up; outliers are not drift") {
  std::vector<double> steady(30, 100.0);
  CHECK(calib::warm_up(steady) == 0);
  steady[1] = 5000;
  steady[17] = 5000;
  CHECK(calib::warm_up(steady) == 0);
}

TEST_CASE("at most half of the samples are warm-up, and few samples have none") {
  CHECK(calib::warm_up(one_to(40)) <= 20);
  CHECK(calib::warm_up(std::vector<double>{9, 8, 7}) == 0);
  CHECK(calib::warm_up(std::vector<double>{}) == 0);
}

TEST_CASE("the spread is the quartiles' distance as a part of the median") {
  CHECK(calib::spread({100, 100, 100}) == 0);
  CHECK(calib::spread({1, 2, 3, 4, 5}) == doctest::Approx(2.0 / 3));
}

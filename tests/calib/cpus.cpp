// Which two CPUs a pair of processes gets.
#include <calib/driver/launch/cpus.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("a pair is put on two cores of one package, or on two cores, where there are such") {
  using cpus = std::vector<int>;
  const auto interleaved = [](int cpu) { return calib::core{cpu % 2, cpu / 2 % 2}; };
  CHECK(calib::choose_pair_cpus({0, 1, 2, 3, 4, 5, 6, 7}, interleaved) == cpus{0, 2});
  CHECK(calib::choose_pair_cpus({0, 3, 7}, interleaved) == cpus{0, 3});
  CHECK(calib::choose_pair_cpus({1, 2, 5, 6}, interleaved) == cpus{1, 2});
  const auto one_after_the_other = [](int cpu) { return calib::core{cpu / 8, cpu}; };
  CHECK(calib::choose_pair_cpus({0, 8, 9}, one_after_the_other) == cpus{8, 9});
  const auto threads_side_by_side = [](int cpu) { return calib::core{0, cpu / 2}; };
  CHECK(calib::choose_pair_cpus({0, 1, 2, 3}, threads_side_by_side) == cpus{0, 2});
  CHECK(calib::choose_pair_cpus({1, 2, 3}, threads_side_by_side) == cpus{1, 2});
  CHECK(calib::choose_pair_cpus({2, 3}, threads_side_by_side) == cpus{2, 3});
  const auto threads_far_apart = [](int cpu) { return calib::core{0, cpu % 4}; };
  CHECK(calib::choose_pair_cpus({0, 4, 5}, threads_far_apart) == cpus{0, 5});
  CHECK(calib::choose_pair_cpus({0, 1}, [](int) { return calib::core{}; }) == cpus{0, 1});
  CHECK(calib::choose_pair_cpus({3}, threads_far_apart) == cpus{3});
}

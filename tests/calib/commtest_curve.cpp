// The statistics of COMMTEST on times whose parameters are known.
#include <calib/driver/commtest/curve.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>

namespace calib_commtest_curve {
namespace {

constexpr double volume = 2097152;

calib::swap_curve curve_of(const std::function<double(unsigned)>& time) {
  calib::swap_curve out{volume, {}, {}};
  for (unsigned packets = 1; packets <= 1024; packets *= 2) {
    out.packets.push_back(packets);
    out.times.push_back(time(packets));
  }
  return out;
}

bool near(double a, double b) { return std::abs(a - b) < 1e-9 * std::max(1.0, std::abs(b)); }

constexpr double a = 700;   // ns
constexpr double b = 0.08;  // ns a byte

}  // namespace

TEST_CASE("of T = a N + b V alpha is a, and beta is a little above b") {
  const calib::swap_curve linear =
      curve_of([](unsigned packets) { return a * packets + b * volume; });
  CHECK(near(calib::alpha_of(linear), a));
  CHECK(near(calib::beta_of(linear), b + a * 1 / volume));
  const calib::model_error error =
      calib::model_error_of(linear, calib::alpha_of(linear), calib::beta_of(linear));
  // The time of one packet stands in both.
  CHECK(near(error.greatest, a / (a + b * volume)));
  CHECK(error.mean > 0);
  CHECK(error.mean < error.greatest);
  CHECK(error.from == 1);
  CHECK(error.to == 1024);
}

TEST_CASE("beta is of the least time, at whatever packet count") {
  const calib::swap_curve dented = curve_of(
      [](unsigned packets) { return a * packets + b * volume * (packets == 8 ? 0.9 : 1); });
  CHECK(near(calib::beta_of(dented), 0.9 * b + a * 8 / volume));
}

TEST_CASE("an ordered protocol has half of the latency, and the bandwidth of one direction") {
  CHECK(calib::latency_of(a, false) == a);
  CHECK(calib::latency_of(a, true) == a / 2);
  CHECK(calib::swap_bandwidth_of(0.1) == 20);
  CHECK(calib::busy_bandwidth_of(0.1) == 10);
}

TEST_CASE("the error is of the dominant protocol, where the library changes it") {
  // Packets above 64 KiB are sent in another way, which takes twice as long for a byte.
  const calib::swap_curve changing =
      curve_of([](unsigned packets) { return a * packets + (packets < 32 ? 2 : 1) * b * volume; });
  const double alpha = calib::alpha_of(changing);
  CHECK(near(alpha, a));
  const calib::index_range over = calib::dominant_range(changing, alpha);
  CHECK(changing.packets[over.first] == 32);
  CHECK(over.last == 10);
  const calib::model_error error = calib::model_error_of(changing, alpha, calib::beta_of(changing));
  CHECK(error.from == 32);
  CHECK(error.to == 1024);
  CHECK(near(error.greatest, 32 * a / (32 * a + b * volume)));
}

TEST_CASE("the dominant protocol may be that of large packets") {
  const calib::swap_curve changing =
      curve_of([](unsigned packets) { return a * packets + (packets > 256 ? 3 : 1) * b * volume; });
  const calib::model_error error =
      calib::model_error_of(changing, calib::alpha_of(changing), calib::beta_of(changing));
  CHECK(error.from == 1);
  CHECK(error.to == 256);
}

TEST_CASE("of two protocols of as many packet counts that of the smaller packets is dominant") {
  const calib::swap_curve two{1000, {1, 512, 1024, 2048}, {1000, 4000, 4100, 4300}};
  const calib::index_range over = calib::dominant_range(two, 100.0 / 512);
  CHECK(over.first == 1);
  CHECK(over.last == 3);
  const calib::swap_curve even{1000, {1, 2, 4, 8}, {1000, 1001, 4000, 4004}};
  CHECK(calib::dominant_range(even, 1).first == 2);
}

TEST_CASE("between packet counts that are far apart a change is a part of the expected time") {
  // A tenth more at 512 packets is more than a quarter of the time of 64.
  const calib::swap_curve quick{1000, {1, 8, 64, 512, 1024}, {2e3, 9e3, 65e3, 1.1 * 513e3, 1025e3}};
  CHECK(calib::dominant_range(quick, 1e3).first == 0);
  CHECK(calib::dominant_range(quick, 1e3).last == 4);
  const calib::swap_curve changing{1000, {1, 8, 64, 512, 1024}, {2e3, 9e3, 65e3, 800e3, 1400e3}};
  CHECK(calib::dominant_range(changing, 1e3).last == 2);
}

TEST_CASE("times that no two parameters describe have a large error, and the same statistics") {
  const calib::swap_curve odd{1000, {1, 2}, {1000, 400}};
  CHECK(calib::alpha_of(odd) == -600);
  CHECK(calib::beta_of(odd) == 0.4);
  CHECK(calib::model_error_of(odd, -600, 0.4).greatest > 1);
}

}  // namespace calib_commtest_curve

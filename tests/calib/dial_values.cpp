// The values of dials on a command line: series, lists, complaints, and the settings made of them.
#include <calib/driver/dials/dial_values.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using calib::read_dial;

std::vector<double> values_of(const char* text) {
  std::vector<double> ns;
  REQUIRE(calib::read_dial_values(text, ns) == "");
  return ns;
}

std::string complaint_about(const char* text) {
  calib::dial ignored;
  return read_dial(text, ignored);
}

}  // namespace

TEST_CASE("a series has its ends, and 1, 2 and 5 of each power of ten between them") {
  using list = std::vector<double>;
  CHECK(values_of("1us..100us") == list{1e3, 2e3, 5e3, 10e3, 20e3, 50e3, 100e3});
  CHECK(values_of("3us..40us") == list{3e3, 5e3, 10e3, 20e3, 40e3});
  CHECK(values_of("500ns..2us") == list{500, 1e3, 2e3});
  CHECK(values_of("0.5ns..1ns") == list{0.5, 1});
  CHECK(values_of("7us..7us") == list{7e3});
}

TEST_CASE("a list has what it names") {
  CHECK(values_of("1us,5us,20us") == std::vector<double>{1e3, 5e3, 20e3});
  CHECK(values_of("2ms") == std::vector<double>{2e6});
}

TEST_CASE("each bad value has one line that names it") {
  CHECK(complaint_about("x=1us") == "unknown dial 'x'; there are o o_s o_r L g g_s g_r G");
  CHECK(complaint_about("o") == "the dial o has no values, such as o=1us..100us");
  CHECK(complaint_about("o=") == "dial o: '' is not a time such as 5us or 0.5ns");
  CHECK(complaint_about("o=5") == "dial o: '5' is not a time such as 5us or 0.5ns");
  CHECK(complaint_about("o=+5us") == "dial o: '+5us' is not a time such as 5us or 0.5ns");
  CHECK(complaint_about("L=1us..") == "dial L: '' is not a time such as 5us or 0.5ns");
  CHECK(complaint_about("L=1us,,2us") == "dial L: '' is not a time such as 5us or 0.5ns");
  CHECK(complaint_about("L=0us") == "dial L: '0us' is not a time from 0.001ns to 10s");
  CHECK(complaint_about("L=-1us") == "dial L: '-1us' is not a time from 0.001ns to 10s");
  CHECK(complaint_about("L=11s") == "dial L: '11s' is not a time from 0.001ns to 10s");
  CHECK(complaint_about("L=9us..2us") == "dial L: 9us is more than 2us");
  CHECK(complaint_about("g=5us,2us") == "dial g: the values do not ascend: 2us follows 5us");
  CHECK(complaint_about("g=5us,5us") == "dial g: the values do not ascend: 5us follows 5us");
  CHECK(complaint_about("G=1ns..1ms") == "dial G: a byte takes at most 100us, not 1ms");
}

TEST_CASE("settings are those of AM_DIAL: overheads and latency are added, gaps are not") {
  CHECK(calib::dial_setting("o", 10e3) == "o=+10us");
  CHECK(calib::dial_setting("L", 2500) == "L=+2.5us");
  CHECK(calib::dial_setting("g_r", 2.3e3) == "g_r=2.3us");
  CHECK(calib::dial_setting("G", 0.5) == "G=0.5ns");
  CHECK(calib::dial_setting("g", 1e9) == "g=1s");
}

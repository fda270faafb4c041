// What is written for other programs, read back as they read it.
#include "contains.hpp"
#include "profiles.hpp"

#include <calib/driver/export/exports.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using row = std::vector<std::string>;

// RFC 4180, by its grammar.
std::vector<row> parsed_csv(const std::string& text) {
  std::vector<row> out(1, row(1));
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool doubled = inside && c == '"' && i + 1 < text.size() && text[i + 1] == '"';
    if (doubled) ++i;
    if (c == '"' && !doubled)
      inside = !inside;
    else if (inside || (c != ',' && c != '\n'))
      out.back().back() += c;
    else if (c == ',')
      out.back().emplace_back();
    else
      out.emplace_back(1);
  }
  out.pop_back();  // behind the last line
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) out.push_back(line);
  return out;
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> out;
  std::istringstream from(line);
  for (std::string word; from >> word;) out.push_back(std::strtod(word.c_str(), nullptr));
  return out;
}

// The options of every command, by letter; in order.
std::vector<std::map<char, double>> commands_of(const std::string& text) {
  std::vector<std::map<char, double>> out;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with('#') || line.empty()) continue;
    CHECK(line.starts_with("LogGOPSim -f FILE.bin "));
    std::istringstream words(line.substr(22));
    out.emplace_back();
    for (std::string option, value; words >> option >> value;) {
      CHECK(value.find_first_not_of("0123456789") == std::string::npos);
      out.back()[option.at(1)] = std::stod(value);
    }
  }
  return out;
}

calib::logp::parameter& parameter(calib::profile& of, std::size_t number) {
  return of.layers[0].logp.parameters[number];
}

}  // namespace

TEST_CASE("csv: a row for each value, which parses, and what is not known is empty") {
  calib::profile of = known_profile();
  parameter(of, 4) = {"g", std::nullopt, "why, \"they\" ask"};
  of.layers[1].layer = {"openmpi", "tcp"};
  const std::vector<row> all = parsed_csv(calib::csv_of(of));
  REQUIRE(all.size() == 1 + 2 * (7 + 2 + 4 * 4));
  CHECK(all[0] == row{"schema", "group", "name", "parameter", "operation", "bytes", "median", "low",
                      "high", "unit", "n", "reached", "remark", "line_ns", "slow_ranks"});
  for (const row& one : all) CHECK(one.size() == 15);
  CHECK(all[1] == row{"am-profile/1", "transports", "shm", "o_s", "", "", "60", "55", "65", "ns",
                      "9", "false", "", "", ""});
  CHECK(all[5] == row{"am-profile/1", "transports", "shm", "g", "", "", "", "", "", "ns", "0",
                      "false", "why, \"they\" ask", "", ""});
  CHECK(all[8] == row{"am-profile/1", "transports", "shm", "G", "store", "", "0.1", "0.098",
                      "0.10200000000000001", "ns/B", "9", "true", "", "", ""});
  CHECK(all[10] == row{"am-profile/1", "transports", "shm", "o", "store", "64", "30.12", "29.12",
                       "31.12", "ns", "9", "true", "", "", ""});
  CHECK(all[13][9] == "GB/s");
  CHECK(all[26][1] == "layers");
  CHECK(all[26][2] == "openmpi over tcp");
}

TEST_CASE("each format names the condition that the figures are of, and which are of all of them") {
  calib::profile of = known_profile();
  of.condition = calib::line_condition{93.5, 90, 99, 0.61};
  of.condition->slow_ranks = {0, 1};
  of.others.push_back({{390, 380, 400, 0.3}, {}});
  of.layers[1].of_all_conditions = true;
  for (const row& one : parsed_csv(calib::csv_of(of))) {
    CAPTURE(one[2]);
    if (one[2] == "name") continue;
    CHECK(one[13] == (one[2] == "shm" ? "93.5" : ""));
    CHECK(one[14] == (one[2] == "shm" ? "0+1" : ""));
  }
  for (const std::string& text : {calib::loggopsim_of(of), calib::netgauge_of(of)})
    CHECK(contains(text,
                   "\n# conditions: line 94 ns with both ranks slow 61 % of the samples (this "
                   "profile), 390 ns "
                   "30 %, none of these 9 %; of all conditions at once: tcp\n"));
  CHECK_FALSE(contains(calib::netgauge_of(known_profile()), "conditions"));
}

TEST_CASE("loggopsim: a command for each transport, in whole nanoseconds, and what is lost") {
  const std::string text = calib::loggopsim_of(known_profile());
  CAPTURE(text);
  const auto all = commands_of(text);
  REQUIRE(all.size() == 2);
  CHECK(all[0] == std::map<char, double>{
                      {'L', 20}, {'o', 65}, {'g', 17}, {'G', 0}, {'O', 0}, {'S', 2147483647}});
  CHECK(contains(text, "o is the mean of o_s, 60.0 ns, and o_r, 70.0 ns"));
  CHECK(contains(text, "a byte costs G 0.1000 and O 0.0800 ns"));
  CHECK(contains(text, "#   LogGOPSim -f FILE.bin -L 20000 -o 65000 -g 17000 -G 100 -O 80 -S"));
  CHECK(contains(text, "measured is g, 17.0 ns"));
}

TEST_CASE("loggopsim: what it has no place for is in a comment") {
  calib::profile of = known_profile();
  parameter(of, 5).value = about(-300, 9);
  std::string text = calib::loggopsim_of(of);
  CHECK(commands_of(text)[0].at('L') == 0);
  CHECK(contains(text, "#   L is -300 ns, and 0 is the least that the simulator takes"));
  parameter(of, 4).value.reset();
  of.layers[1].logp.parameters[6].value = about(1e12, 1);
  of.layers[1].logp.parameters[5].value = about(1e12, 1);
  text = calib::loggopsim_of(of);
  CHECK(commands_of(text).empty());
  CHECK(contains(text, "# shm: g is not known, so there is no command"));
  CHECK(contains(text, "# tcp: more than 2147483647 ns, so there is no command"));
  of.layers[1].loggp.clear();
  CHECK(contains(calib::loggopsim_of(of), "# tcp: G is not known"));
  of = known_profile();
  for (calib::sized_cost& one : of.layers[0].sizes)
    one.o = about(300 - 0.05 * static_cast<double>(one.bytes), 1);
  of.layers.push_back(known_layer({"openmpi", "shm"}));
  text = calib::loggopsim_of(of);
  CHECK(contains(text, "#   O is -0.05"));
  CHECK(commands_of(text).size() == 2);
  CHECK(contains(text, "# openmpi over shm: from which size on it waits for receivers (-S) is"));
}

TEST_CASE("netgauge: its columns, from which its readers get the parameters again") {
  const calib::profile of = known_profile();
  const std::string text = calib::netgauge_of(of);
  CAPTURE(text);
  std::size_t rows = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with('#') || line.empty()) continue;
    const std::vector<double> at = numbers_of(line);
    REQUIRE(at.size() == 11);
    const calib::sized_cost& one = of.layers[rows / 4].sizes[rows % 4];
    ++rows;
    CHECK(at[0] == static_cast<double>(one.bytes));
    CHECK(at[1] == 10);
    CHECK(at[2] * 1000 == doctest::Approx(2 * one.T.median));
    // As the head of netgauge's own tables says.
    CHECK(1000 * ((at[4] - at[2]) / (at[1] - 1) - at[2]) == doctest::Approx(one.o.median));
    CHECK(1000 * (at[3] - at[2]) / (at[1] - 1) == doctest::Approx(one.g.median));
    CHECK(at[5] * 1000 == doctest::Approx(30 + 6.4 + 150));
    CHECK(at[6] * 1000 == doctest::Approx(one.o.median));
    CHECK(at[7] * 1000 == doctest::Approx(70));
    CHECK(at[8] * 1000 == doctest::Approx(30));
    CHECK(at[9] * 1000 == doctest::Approx(0.1));
    CHECK(at[10] == doctest::Approx(0));
  }
  CHECK(rows == 8);
  CHECK(contains(text,
                 "\n\n\n# tcp: store\n# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s "
                 "o_r g G lsqu(g,G)\n64 10 "));
}

TEST_CASE("netgauge: how far points lie from their line, and what is not known") {
  calib::profile of = known_profile();
  of.layers.pop_back();
  parameter(of, 1).value.reset();
  calib::layer_profile& shm = of.layers[0];
  shm.sizes[1].g.median += 6;
  shm.sizes[3].g.median -= 8;
  const std::vector<std::string> lines = lines_of(calib::netgauge_of(of));
  const std::vector<double> last = numbers_of(lines.back());
  CHECK(last[10] * 1000 == doctest::Approx(std::sqrt((36 + 64) / 2.0)));
  CHECK(std::isnan(last[7]));
  shm.loggp[0].segments = {{64, 256, 30, 0.1}, {4096, 4096, 400, 0}};
  const std::vector<std::string> parted = lines_of(calib::netgauge_of(of));
  CHECK(std::isnan(numbers_of(parted.back())[10]));
  CHECK(numbers_of(parted.back())[8] == doctest::Approx(0.4));
  CHECK(std::isnan(numbers_of(parted[parted.size() - 2])[8]));
  shm.loggp.clear();
  CHECK(contains(calib::netgauge_of(of), "# shm: no pieces of data were measured"));
}

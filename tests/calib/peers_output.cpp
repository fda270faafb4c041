// The table and the JSON file, from figures that are known.
#include <calib/driver/peers/peers_json.hpp>
#include <calib/driver/peers/peers_table.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "contains.hpp"
#include "launch_sets.hpp"
#include "schema.hpp"

namespace {

calib::result analysed() {
  calib::result from = drifting_machine();
  from.machine = {"Some CPU", 2, {"L1 Data 48K"}, "KVM", "Linux 6.1", 24};
  from.environment.seconds = 47;
  calib::analyse(from);
  return from;
}

}  // namespace

TEST_CASE("the table shows every figure with its interval, and the ratios below") {
  const std::string table = calib::table_of(analysed(), false);
  CAPTURE(table);
  CHECK(table.find("\x1b") == std::string::npos);
  CHECK(contains(table, "Some CPU, 2 cores under KVM, Linux 6.1\n"));
  CHECK(contains(table, "\n               rtt               flood                rr_flood"));
  CHECK(contains(table, "\n  limit-line   418  404 .. 432\n"));
  CHECK(contains(table, "\n  limit-ring   397  384 .. 410   8.36  8.08 .. 8.64\n"));
  CHECK(contains(table, "\n  am-shm       439  424 .. 454   10.4  10.1 .. 10.8   20.9  20.2"));
  CHECK(contains(table, "\n  openmpi      878  848 .. 907    136  131 .. 140\n"));
  CHECK(contains(table,
                 "\n  of limit-ring   1.11  1.11 .. 1.11    1.25  1.25 .. 1.25     2.50  "
                 "2.50 .. 2.50  of its flood\n"));
  CHECK(contains(table, "\n  of openmpi      0.50  0.50 .. 0.50   0.077  0.077 .. 0.077\n"));
  CHECK(contains(table, "Medians of 8 rounds in 47 s"));
}

TEST_CASE("the table warns of what is wrong") {
  calib::result from = analysed();
  from.unfit = {"both processes on CPU 0"};
  from.complete = false;
  from.ratios_reached = false;
  const std::string table = calib::table_of(from, false);
  CHECK(contains(table, "  ! both processes on CPU 0\n"));
  CHECK(contains(table, "Stopped before the end."));
  CHECK(contains(table, "Not every ratio is known to within 2 %"));
}

TEST_CASE("each transport has its tables, one behind the other") {
  calib::result from = two_transports();
  calib::analyse(from);
  const std::string table = calib::table_of(from, false);
  CAPTURE(table);
  const std::size_t shm = table.find("\nFour words between two processes, over shared memory\n");
  const std::size_t tcp = table.find("\nFour words between two processes, over TCP on the");
  REQUIRE(shm < tcp);
  REQUIRE(tcp != std::string::npos);
  CHECK(table.find("\n  openmpi      878  848 .. 907    136") < tcp);
  CHECK(contains(table.substr(tcp), "\n  openmpi        27588  26664 .. 28512   4180"));
  CHECK(contains(table.substr(tcp), "\n  of limit-socket   1.10  1.10 .. 1.10"));
  CHECK(
      contains(table.substr(0, tcp), "of limit-copy   ns longer\n  4 KiB         39.2     31.4 "));
  CHECK(contains(table,
                 "\nStores over TCP on the loopback interface, whose reader reads every line of "
                 "what has come: GB/s\n\n"
                 "          limit-socket   am-tcp   am-tcp of limit-socket   ns longer\n"
                 "  4 KiB           7.84     3.92   0.50  0.50 .. 0.50"));
  const std::string text = calib::json_of(from);
  CHECK(departures(text) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(text);
  CHECK(whole["rows"].back()["transport"] == "tcp");
  CHECK(whole["ratios"].back()["transport"] == "tcp");
  CHECK(whole["conditions"]["above_limit"][1]["against"] == "limit-socket");
  CHECK(whole["conditions"]["launches"].back()["transport"] == "tcp");
}

TEST_CASE("bulk data has tables of its own: sizes down, layers across, ours beside the limit") {
  calib::result from = moving_machine();
  calib::analyse(from);
  const std::string table = calib::table_of(from, false);
  CAPTURE(table);
  CHECK(contains(
      table,
      "\nStores over shared memory, whose reader reads every line of what has come: GB/s\n\n"
      "          limit-copy   am-shm   am-shm of limit-copy   ns longer\n"
      "  4 KiB         39.2     31.4   0.80  0.80 .. 0.80     26.1  25.2 .. 27.0\n"));
  CHECK(contains(table, "\n  64 KiB         31.4     34.8    8.71   1.11"));
  CHECK(contains(table, "   -209"));
  CHECK_FALSE(contains(table, "Stores over shared memory, whose reader does not read"));
  CHECK(contains(table, "Bulk data of 2 of the 8 sizes"));
}

TEST_CASE("bulk data in the file: GB/s, a form, and the time above the limit") {
  calib::result from = moving_machine();
  calib::analyse(from);
  const std::string text = calib::json_of(from);
  CHECK(departures(text) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(text);
  REQUIRE(whole["rows"].size() == 5);
  CHECK(whole["rows"][0]["layer"] == "limit-copy");
  CHECK(whole["rows"][0]["probe"] == "store");
  CHECK(whole["rows"][0]["bytes"] == 4096);
  CHECK(whole["rows"][0]["form"] == "touched");
  CHECK(whole["rows"][0]["value"]["unit"] == "GB/s");
  CHECK(whole["ratios"][0]["form"] == "touched");
  CHECK(whole["ratios"][0]["ratio"] == 0.8);
  const auto above = whole["conditions"]["above_limit"];
  REQUIRE(above.size() == 2);
  CHECK(above[0]["ns"] == doctest::Approx(26.125));
  CHECK(above[0]["bytes"] == 4096);
  CHECK(whole["conditions"]["plan"]["bytes"] == nlohmann::json({4096, 65536}));
}

TEST_CASE("mediums have a table for each way, and we stand beside the peer that is best there") {
  calib::result from = mailing_machine();
  calib::analyse(from);
  const std::string table = calib::table_of(from, false);
  CAPTURE(table);
  CHECK(contains(table,
                 "\nMediums over shared memory, one way, every line packed and read: ns a message\n"
                 "\n           am-shm               ucx-am               openmpi "));
  CHECK(contains(table, "\n  64 B     41.8  40.4 .. 43.2   52.2  50.5 .. 54.0   83.6  "));
  CHECK(contains(table, "   0.80  0.80 .. 0.80  of ucx-am\n"));
  CHECK(contains(table, "   0.80  0.80 .. 0.80  of openmpi\n"));
  CHECK(contains(table, "\nMediums over shared memory, both ways at once, "));
  CHECK(contains(table, "   1.50  1.50 .. 1.50  of ucx-am\n"));

  std::erase_if(from.launches, [](const calib::launch& one) { return one.layer.name != "am-shm"; });
  calib::analyse(from);
  const std::string alone = calib::table_of(from, false);
  CHECK(contains(alone, "\n  16 KiB   2090  "));
  CHECK_FALSE(contains(alone, "of the best peer"));
}

TEST_CASE("mediums in the file: ns, and the way as a form") {
  calib::result from = mailing_machine();
  calib::analyse(from);
  const std::string text = calib::json_of(from);
  CHECK(departures(text) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(text);
  REQUIRE(whole["rows"].size() == 8);
  CHECK(whole["rows"][2]["layer"] == "am-shm");
  CHECK(whole["rows"][2]["probe"] == "medium");
  CHECK(whole["rows"][2]["bytes"] == 16384);
  CHECK(whole["rows"][2]["form"] == "bothways");
  CHECK(whole["rows"][2]["value"]["unit"] == "ns");
  CHECK(whole["rows"][2]["value"]["median"] == 3135.0);
  CHECK(whole["ratios"].size() == 5);
  CHECK(whole["ratios"][0]["form"] == "oneway");
  CHECK(whole["conditions"]["above_limit"].empty());
}

TEST_CASE("colour is for terminals") {
  CHECK(contains(calib::table_of(analysed(), true), "\x1b[1m"));
}

TEST_CASE("the file keeps to its schema and has what was measured") {
  const std::string text = calib::json_of(analysed());
  CHECK(departures(text) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(text);
  CHECK(whole["complete"] == true);
  CHECK(whole["rows"].size() == 9);
  CHECK(whole["ratios"].size() == 6);
  CHECK(whole["rows"][0] ==
        nlohmann::json::parse(R"({"layer": "limit-line", "transport": "shm", "probe": "rtt",
            "bytes": 32, "value": {"median": 418.0, "low": 404.0, "high": 432.0, "unit": "ns",
            "n": 8, "reached": true, "remark": "quartiles within a launch 0.0 % apart"}})"));
  CHECK(whole["ratios"][0]["against"] == "limit-line");
  CHECK(whole["ratios"][0]["ratio"] == 1.05);
  CHECK(whole["conditions"]["launches"].size() == 40);
  CHECK(whole["conditions"]["launches"][0]["measured"][0]["samples"].size() == 3);
}

TEST_CASE("a file without rounds is still a file") {
  calib::result nothing;
  nothing.complete = false;
  calib::analyse(nothing);
  const std::string text = calib::json_of(nothing);
  CHECK(departures(text) == std::vector<std::string>{});
  CHECK(nlohmann::json::parse(text)["complete"] == false);
}

TEST_CASE("without an interval there are nulls and a remark") {
  calib::result from;
  auto line = launched(1, "limit-line");
  with(line, "rtt", 400);
  from.launches.push_back(line);
  calib::analyse(from);
  const std::string text = calib::json_of(from);
  CHECK(departures(text) == std::vector<std::string>{});
  const auto value = nlohmann::json::parse(text)["rows"][0]["value"];
  CHECK(value["low"].is_null());
  CHECK(value["reached"] == false);
  CHECK(calib::table_of(from, false).find("  limit-line               400\n") != std::string::npos);
}

TEST_CASE("the schema check itself notices departures") {
  auto whole = nlohmann::json::parse(calib::json_of(analysed()));
  CHECK(departures("{") == std::vector<std::string>{"no JSON"});
  auto broken = whole;
  broken.erase("complete");
  CHECK_FALSE(departures(broken.dump()).empty());
  broken = whole;
  broken["rows"].push_back(broken["rows"][0]);
  CHECK_FALSE(departures(broken.dump()).empty());
  broken = whole;
  broken["rows"][0]["value"]["unit"] = "us";
  CHECK_FALSE(departures(broken.dump()).empty());
  broken = whole;
  broken["rows"][0]["value"]["median"] = 1;
  CHECK_FALSE(departures(broken.dump()).empty());
  broken = whole;
  broken["rows"][0]["transport"] = "tcp";
  CHECK_FALSE(departures(broken.dump()).empty());
  calib::result mailing = mailing_machine();
  calib::analyse(mailing);
  broken = nlohmann::json::parse(calib::json_of(mailing));
  broken["rows"][0]["form"] = "touched";
  CHECK_FALSE(departures(broken.dump()).empty());
}

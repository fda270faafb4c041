// The command as people and scripts use it: exit statuses, what goes where, a real measurement that
// is as short as can be, and a stop in the middle.
#include "command.hpp"

#include "schema.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

const char* const am_calibrate = AM_CALIBRATE;

namespace {

namespace fs = std::filesystem;

std::size_t rows_of(const nlohmann::json& whole, const std::string& layer) {
  std::size_t count = 0;
  for (const auto& row : whole["rows"]) count += row["layer"] == layer ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("help and version are results, on standard output") {
  const command_result help = calibrate({"peers", "--help"});
  CHECK(help.status == 0);
  CHECK(contains(help.out, "Examples:"));
  CHECK(contains(help.out, "Exit status:"));
  CHECK(help.err.empty());
  const command_result version = calibrate({"--version"});
  CHECK(version.status == 0);
  CHECK(version.out.rfind("am-calibrate 0.", 0) == 0);
}

TEST_CASE("bad usage: one line and status 2") {
  const std::vector<std::vector<std::string>> all = {{"run", "--transport", "pigeon"},
                                                     {"--transport", "ucx:tcp"},
                                                     {"--quick", "--full"},
                                                     {"run", "nonsense"},
                                                     {"--rounds", "0"},
                                                     {"nonsense"},
                                                     {"peers", "--nonsense"},
                                                     {"peers", "--rounds", "none"},
                                                     {"peers", "--transport", "ucx:x"},
                                                     {"peers", "--transport", "pigeon"},
                                                     {"peers", "--layers", "limit-line,limit-sky"},
                                                     {"peers", "--bytes", "4095"},
                                                     {"peers", "--bytes", "8192"}};
  for (const auto& arguments : all) {
    const command_result found = calibrate(arguments);
    CAPTURE(found.err);
    CHECK(found.status == 2);
    CHECK(found.out.empty());
    CHECK(std::count(found.err.begin(), found.err.end(), '\n') == 1);
  }
  CHECK(contains(calibrate({"--transport", "udp"}).err,
                 "unknown transport 'udp'; there are self shm"));
  CHECK(contains(calibrate({"peers", "--transport", "udp"}).err,
                 "unknown transport 'udp'; there are shm tcp ucx:posix ucx:tcp ucx:user"));
}

TEST_CASE("with --json - standard output is the file alone") {
  const command_result found =
      calibrate({"peers", "--layers", "limit-line,limit-ring,am-shm", "--rounds", "1", "--samples",
                 "3", "--seed", "7", "--bytes", "0", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  CHECK(whole["complete"] == true);
  CHECK(whole["conditions"]["plan"]["seed"] == 7);
  CHECK(rows_of(whole, "limit-line") == 1);
  CHECK(rows_of(whole, "limit-ring") == 2);
  CHECK(rows_of(whole, "am-shm") == 4 + 8);
  CHECK(whole["ratios"].size() == 4);
  std::set<std::string> mediums;
  for (const auto& row : whole["rows"])
    if (row["probe"] == "medium")
      mediums.insert(row["bytes"].dump() + ' ' + row["form"].get<std::string>());
  CHECK(mediums.size() == 8);
  CHECK(mediums.count("16384 bothways") == 1);
}

TEST_CASE("bulk data of the given sizes, in both forms, and the limits that belong to it") {
  const command_result found =
      calibrate({"peers", "--layers", "limit-memcpy,limit-copy,am-shm", "--rounds", "1",
                 "--samples", "2", "--bytes", "4096,1048576", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  CHECK(rows_of(whole, "limit-memcpy") == 2);
  CHECK(rows_of(whole, "limit-copy") == 8);
  CHECK(rows_of(whole, "am-shm") == 4 + 8 + 8);
  CHECK(whole["conditions"]["above_limit"].size() == 8);
}

TEST_CASE("over tcp: rows of small messages and bulk data, and the limit that belongs to it") {
  const std::string layers = AM_TCP_LAYERS;
  const command_result found =
      calibrate({"peers", "--transport", "tcp", "--layers", layers, "--rounds", "1", "--samples",
                 "10", "--bytes", "65536", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  const auto& conditions = whole["conditions"];
  CHECK(conditions["plan"]["transports"] == nlohmann::json({"tcp"}));
  for (const char* layer : {"limit-socket", "socket"}) CHECK(rows_of(whole, layer) == 3 + 4);
  CHECK(rows_of(whole, "rpc") == (contains(layers, "rpc") ? 3 + 4 : 0));
  for (const auto& row : whole["rows"]) CHECK(row["transport"] == "tcp");
  for (const auto& launch : conditions["launches"])
    for (const auto& series : launch["measured"]) CHECK(series["samples"].size() == 5);
  if (!contains(layers, "am-tcp")) return;
  CHECK(rows_of(whole, "am-tcp") == 4 + 8 + 4);
  CHECK(whole["ratios"].size() % 7 == 0);
  CHECK(conditions["above_limit"].size() == 4);
}

TEST_CASE(
    "sockets with one call for each piece are measured when they are named, bulk data alone") {
  const command_result found =
      calibrate({"peers", "--transport", "tcp", "--layers", "limit-socket,limit-socket-calls",
                 "--rounds", "1", "--samples", "1", "--bytes", "65536", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  CHECK(rows_of(whole, "limit-socket-calls") == 4);
  CHECK(rows_of(whole, "limit-socket") == 3 + 4);
}

#ifdef AM_HAS_UCX_LAYERS
TEST_CASE("ucx is all of its ways that are measured, libam's messages beside UCX's own") {
  const command_result found = calibrate({"peers", "--transport", "ucx", "--rounds", "1",
                                          "--samples", "1", "--bytes", "65536", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  std::set<std::string> seen;
  for (const auto& row : whole["rows"])
    seen.insert(row["layer"].get<std::string>() + " over " + row["transport"].get<std::string>());
  CHECK(seen == std::set<std::string>{"am-ucx over ucx:posix", "ucx-am over ucx:posix",
                                      "am-ucx over ucx:tcp", "ucx-am over ucx:tcp"});
  const auto mediums =
      std::ranges::count(whole["ratios"], nlohmann::json("medium"),
                         [](const nlohmann::json& ratio) { return ratio["probe"]; });
  CHECK(mediums == 2 * 8);
}
#endif

TEST_CASE("two transports at a time, and layers of the one that are none of the other") {
  const command_result both =
      calibrate({"peers", "--transport", "tcp,shm", "--layers", "limit-socket,limit-line",
                 "--rounds", "1", "--samples", "1", "--bytes", "0"});
  CAPTURE(both.err);
  CHECK(measured(both.status));
  CHECK(both.out.find("limit-line ") < both.out.find("limit-socket "));
  CHECK(contains(both.out, "limit-socket "));
  const command_result other = calibrate({"peers", "--transport", "tcp", "--layers", "limit-line"});
  CHECK(other.status == 2);
  CHECK(contains(other.err,
                 "unknown layer 'limit-line'; there are limit-socket limit-socket-calls am-tcp"));
}

TEST_CASE("a layer that is not there has no row, and one line says so; the tree may be moved") {
  const scratch moved;
  fs::create_directories(moved.path("lib/am/calib"));
  fs::create_directories(moved.path("bin"));
  const fs::path home = fs::path(am_calibrate).parent_path();
  fs::copy(am_calibrate, moved.path("bin/am-calibrate"));
  fs::copy(home / "../lib/am/calib/limit-line", moved.path("lib/am/calib/limit-line"));
  command run({"peers", "--layers", "limit-line,boost-spsc", "--rounds", "1", "--samples", "2",
               "--json", moved.path("found.json")},
              moved.path("bin/am-calibrate"));
  const command_result found = run.wait();
  CAPTURE(found.err);
  CHECK(measured(found.status));
  CHECK(contains(found.err, "am-calibrate: boost-spsc: not built"));
  CHECK(contains(found.out, "limit-line"));
  CHECK_FALSE(contains(found.out, "boost-spsc"));
  CHECK(departures(text_of(moved.path("found.json"))) == std::vector<std::string>{});
}

TEST_CASE("with one CPU nothing is measured; a message gives the reason, and the file is written") {
  const scratch files;
  command run({"peers", "--layers", "limit-line", "--json", files.path("found.json")}, am_calibrate,
              true);
  const command_result found = run.wait();
  CHECK(found.status == 3);
  CHECK(contains(found.err, "unfit: two CPUs are needed and this process may use 1:"));
  CHECK(departures(text_of(files.path("found.json"))) == std::vector<std::string>{});
}

TEST_CASE("a file that cannot be written is noticed before anything is measured") {
  const command_result found =
      calibrate({"peers", "--rounds", "1000", "--json", "/nowhere/at/all.json"});
  CHECK(found.status == 1);
  CHECK(contains(found.err, "cannot write /nowhere/at/all.json"));
}

TEST_CASE("stopped in the middle: status 130, every file, and no process left behind") {
  const scratch files;
  command run({"peers", "--layers", "limit-line,boost-spsc", "--rounds", "1000", "--json",
               files.path("found.json")});
  ::usleep(700'000);
  REQUIRE(run.running());
  run.interrupt();
  const command_result found = run.wait();
  CHECK(found.status == 130);
  CHECK(contains(found.err, "stopped"));
  const std::string text = text_of(files.path("found.json"));
  CHECK(departures(text) == std::vector<std::string>{});
  CHECK(nlohmann::json::parse(text)["complete"] == false);
}

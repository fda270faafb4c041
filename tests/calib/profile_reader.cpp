// A profile that is read from its file: it is the one that was written, and whatever else is in the
// file ends in one line.
#include "profiles.hpp"

#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/driver/profile/profile_table.hpp>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;

calib::profile read(const std::string& text) {
  std::string problem;
  const auto found = calib::parse_profile(text, problem);
  CHECK(problem == "");
  REQUIRE(found);
  return *found;
}

// What is wrong with it; and nothing is read then.
std::string problem_of(const std::string& text) {
  std::string problem;
  CHECK_FALSE(calib::parse_profile(text, problem));
  CHECK(problem.find('\n') == std::string::npos);
  return problem;
}

// With all that a profile can have: values that are not known, remarks, reasons against it.
calib::profile eventful_profile() {
  calib::profile out = measured_profile({"store", "get", "medium"});
  out.layers.push_back(narrow_profile(3).layers.front());
  out.layers.back().layer = {"am-tcp", "tcp"};
  out.machine = {"Some \"CPU\" \u00b5", 2, {"L1 32K", "L2 1M"}, "KVM", "Linux 6.1-x", 7.5};
  out.fingerprint = "this machine";
  out.environment.seconds = 12.5;
  out.environment.clock_resolution_ns = 11.5;
  out.remarks.emplace_back("a remark");
  out.unfit.emplace_back("somebody else was there");
  out.failed.emplace_back("ucx: no UCX");
  out.complete = false;
  return out;
}

// The document with something else at one place.
std::string with(const json& whole, const char* at, const json& value) {
  json other = whole;
  other[json::json_pointer(at)] = value;
  return other.dump();
}

std::string without(const json& whole, const std::string& at) {
  json other = whole;
  const json::json_pointer place(at);
  other[place.parent_pointer()].erase(place.back());
  return other.dump();
}

json written() { return json::parse(calib::json_of(eventful_profile())); }

// The cross-checks of a layer and their values, of both kinds.
calib::cross_checks all_cross_checks() {
  calib::cross_checks out;
  out.prtt = calib::prtt_check{
      64, {about(30, 1), 12.5}, {about(17, 1), std::nullopt}, {about(0.1, 0.01), -3}};
  out.startup = calib::startup_fit{about(-200, 9), about(10, 1)};
  out.exchange = calib::exchange_check{
      {about(9000, 90), about(11000, 90), 22.2, "too long", about(12000, 90)},
      calib::exchange_time{about(19000, 90), about(19500, 90), 2.6, "", about(19600, 90)},
      calib::direction_overlap{about(0.5, 0.1)}};
  out.prtt->o.why_off = "assumes too much";
  out.multi_rank.emplace();
  out.multi_rank->ranks = 8;
  out.multi_rank->pairs = {about(17, 1), about(300, 9), about(1, 0.1), {1.02, {}, 2}, "the same"};
  out.multi_rank->many_to_one = {about(90, 1), about(900, 9), about(5, 0.1), about(3, 0.1),
                                 "5 times"};
  return out;
}

}  // namespace

TEST_CASE(
    "what was written is read again: the same table, and the same file but for its launches") {
  const calib::profile of = eventful_profile();
  const calib::profile again = read(calib::json_of(of));
  CHECK(calib::table_of(again, false) == calib::table_of(of, false));
  CHECK(calib::table_of(again, true) == calib::table_of(of, true));
  CHECK(again.fingerprint == of.fingerprint);
  CHECK(again.environment.clock_resolution_ns == 11.5);
  CHECK(again.machine.caches == of.machine.caches);
  CHECK(again.layers[0].layer == of.layers[0].layer);
  CHECK(again.layers[0].wake_up->n == 9);
  CHECK_FALSE(again.layers[1].wake_up);
  const json first = json::parse(calib::json_of(of));
  const json second = json::parse(calib::json_of(again));
  for (const char* part : {"transports", "machine", "complete", "fingerprint"})
    CHECK(first[part] == second[part]);
  CHECK(first["conditions"]["costs"] == second["conditions"]["costs"]);
}

TEST_CASE("values that are not known, and those without an interval, stay so") {
  const calib::profile again = read(calib::json_of(eventful_profile()));
  const calib::logp::summary& tcp = again.layers[1].logp;
  CHECK_FALSE(tcp["o_s_stream"].value);
  CHECK(tcp["o_s_stream"].remark == "with a window of 1 every request waits for its answer");
  REQUIRE(tcp["rtt"].value);
  CHECK_FALSE(tcp["rtt"].value->interval);
  CHECK(tcp["rtt"].value->n == 3);
  json no_rtt = written();
  no_rtt["transports"]["shm"]["logp"]["rtt"]["median"] = nullptr;
  CHECK(calib::table_of(read(no_rtt.dump()), false).find("?") != std::string::npos);
}

TEST_CASE("the cross-checks of a layer are read, too") {
  calib::profile of = eventful_profile();
  of.layers[0].cross_checks = all_cross_checks();
  of.layers[1].cross_checks.multi_rank.emplace();
  of.layers[1].cross_checks.multi_rank->why_not = "needs 4 cores, has 2";
  const calib::profile again = read(calib::json_of(of));
  CHECK(calib::table_of(again, false) == calib::table_of(of, false));
  CHECK(calib::json_of(again).find("22.2") != std::string::npos);
  const json first = json::parse(calib::json_of(of));
  const json second = json::parse(calib::json_of(again));
  CHECK(first["transports"]["tcp"]["validation"] == second["transports"]["tcp"]["validation"]);
  for (const char* part : {"prtt", "startup", "exchange", "pairs", "many_to_one"})
    CHECK(first["transports"]["shm"]["validation"][part] ==
          second["transports"]["shm"]["validation"][part]);
}

TEST_CASE("of the cross-checks a part of another form is left out alone") {
  calib::profile of = eventful_profile();
  of.layers[0].cross_checks = all_cross_checks();
  const json whole = json::parse(calib::json_of(of));
  const std::string at = "/transports/shm/validation";
  for (const auto& change : {std::pair<std::string, json>{"/prtt/o/unit", "us"},
                             {"/prtt", 3},
                             {"/prtt/against", json::object()},
                             {"/exchange/off", "far"},
                             {"/startup/T0/median", nullptr},
                             {"/pairs", "needs 4 cores"},
                             {"/pairs/ranks", 1e12},
                             {"/pairs/times/g/low", "x"},
                             {"/many_to_one/verdict", "a\x1b"}}) {
    const calib::cross_checks found =
        read(with(whole, (at + change.first).c_str(), change.second)).layers[0].cross_checks;
    CAPTURE(change.first);
    const int parts = found.prtt.has_value() + found.startup.has_value() +
                      found.exchange.has_value() + found.multi_rank->pairs.has_value() +
                      found.multi_rank->many_to_one.has_value();
    CHECK(parts == 4);
  }
}

TEST_CASE("L is reached as a part of half a round trip") {
  json whole = written();
  json& L = whole["transports"]["shm"]["logp"]["L"];
  L["low"] = 92;  // of 100; half a round trip is 200
  L["high"] = 108;
  CHECK(read(whole.dump()).layers[0].logp["L"].reached());
  L["low"] = 88;
  CHECK_FALSE(read(whole.dump()).layers[0].logp["L"].reached());
}

TEST_CASE("an operation whose cost is not known is none") {
  json whole = written();
  for (const char* end : {"median", "low", "high"})
    whole["transports"]["shm"]["loggp"]["G"][end] = nullptr;
  const calib::profile of = read(whole.dump());
  REQUIRE(of.layers[0].loggp.size() == 2);
  CHECK(of.layers[0].loggp[0].operation == "get");
  whole["transports"]["shm"]["loggp"]["segments"] = json::array();
  CHECK(read(whole.dump()).layers[0].loggp.empty());
}

TEST_CASE("unknown keys are skipped, and peers are layers like others") {
  json whole = written();
  whole["later"] = {{"some", "thing"}};
  whole["transports"]["shm"]["validation"] = {{"pairs", {1, "two", nullptr}}};
  whole["transports"]["shm"]["logp"]["g"]["later"] = 1;
  whole["conditions"]["plan"] = "none";
  whole["layers"]["openmpi over shm"] = whole["transports"]["shm"];
  whole["layers"]["other over some where"] = whole["transports"]["shm"];
  const calib::profile of = read(whole.dump());
  REQUIRE(of.layers.size() == 4);
  CHECK(of.layers[0].layer == calib::measured_layer{"am-shm", "shm"});
  CHECK(of.layers[2].layer == calib::measured_layer{"openmpi", "shm"});
  CHECK(of.layers[3].layer == calib::measured_layer{"other", "some where"});
  CHECK(of.layers[2].logp["g"].value->median == of.layers[0].logp["g"].value->median);
  CHECK(of.layers[2].loggp[1].operation == of.layers[0].loggp[1].operation);
}

TEST_CASE("conditions may be empty; of operations whose cost is in them the line is known then") {
  json whole = written();
  whole["conditions"] = json::object();
  const calib::profile of = read(whole.dump());
  REQUIRE(of.layers[0].loggp.size() == 3);
  for (const calib::loggp_cost& cost : of.layers[0].loggp) {
    CAPTURE(cost.operation);
    CHECK(cost.G.median == doctest::Approx(0.1));
    CHECK(cost.G.interval.has_value() == (cost.operation == "store"));
  }
  CHECK(calib::table_of(of, false).find("shm get") != std::string::npos);
}

TEST_CASE("what is no JSON, or another JSON") {
  CHECK(problem_of("") == "no JSON at byte 1 of 0");
  CHECK(problem_of("{\"schema\": ") == "no JSON at byte 12 of 11");
  CHECK(problem_of("\xff").find("no JSON") == 0);
  CHECK(problem_of("[]") == "it is a list, expected an object");
  CHECK(problem_of("3") == "it is 3, expected an object");
  CHECK(problem_of("{}") == "schema is missing");
  CHECK(problem_of(std::string(100, '[') + std::string(100, ']')) ==
        "it is a list, expected an object");
  for (const std::size_t levels : {101U, 200'000U})
    CHECK(problem_of(std::string(levels, '[') + std::string(levels, ']')) ==
          "it has more than 100 levels, which no measurement writes");
  CHECK(problem_of("1e999").find("1e999") != std::string::npos);
  const json whole = written();
  CHECK(problem_of(with(whole, "/schema", "am-peers/1")) ==
        R"(schema is "am-peers/1", expected "am-profile/1")");
  CHECK(problem_of(with(whole, "/schema", "am-profile/2")) ==
        R"(schema is "am-profile/2", expected "am-profile/1")");
}

TEST_CASE("nothing that is needed may be missing") {
  const json whole = written();
  for (const char* at : {"/schema",
                         "/fingerprint",
                         "/machine",
                         "/machine/cpu",
                         "/machine/cores",
                         "/machine/caches",
                         "/machine/hypervisor",
                         "/machine/kernel",
                         "/machine/memory_gib",
                         "/conditions",
                         "/conditions/clock/resolution_ns",
                         "/complete",
                         "/transports",
                         "/transports/shm/logp",
                         "/transports/shm/logp/o_s",
                         "/transports/shm/logp/L",
                         "/transports/shm/logp/g/median",
                         "/transports/shm/logp/g/low",
                         "/transports/shm/logp/g/high",
                         "/transports/shm/logp/g/unit",
                         "/transports/shm/logp/g/n",
                         "/transports/shm/logp/g/reached",
                         "/transports/shm/loggp",
                         "/transports/shm/loggp/G",
                         "/transports/shm/loggp/segments",
                         "/transports/shm/by_size",
                         "/transports/shm/signature",
                         "/transports/shm/validation"}) {
    CAPTURE(at);
    std::string name = std::string(at).substr(1);
    for (char& c : name)
      if (c == '/') c = '.';
    CHECK(problem_of(without(whole, at)) == name + " is missing");
  }
  CHECK(problem_of(without(whole, "/transports/shm/by_size/1/T")) ==
        "transports.shm.by_size[1].T is missing");
}

TEST_CASE("a value of another kind is reported with its place and what was expected") {
  const json whole = written();
  const std::string long_text(100, 'x');
  const std::vector<std::pair<std::pair<const char*, json>, std::string>> all = {
      {{"/complete", "yes"}, R"(complete is "yes", expected true or false)"},
      {{"/machine/cores", -2}, "machine.cores is -2, expected a whole number"},
      {{"/machine/cores", 5'000'000'000},
       "machine.cores is 5000000000, expected a whole number of at most 4294967295"},
      {{"/conditions/clock/source", 3}, "conditions.clock.source is 3, expected text"},
      {{"/conditions/costs", nullptr}, "conditions.costs is null, expected an object"},
      {{"/transports/shm/loggp/segments/0/from", -1},
       "from is -1, expected a number of at least 0"},
      {{"/transports/shm/logp/g/remark", ""}, "remark is \"\", expected text that is not empty"},
      {{"/machine/memory_gib", -1}, "machine.memory_gib is -1, expected a number of at least 0"},
      {{"/transports/shm/by_size/0/operation", ""},
       R"(transports.shm.by_size[0].operation is "", expected text that is not empty)"},
      {{"/machine/cpu", nullptr}, "machine.cpu is null, expected text"},
      {{"/fingerprint", "a\x1b[2J"}, "expected text without control characters"},
      {{"/fingerprint", "a\u009b2J"}, "expected text without control characters"},
      {{"/conditions/remarks", "none"}, R"(conditions.remarks is "none", expected a list)"},
      {{"/conditions/unfit/0", 3}, "conditions.unfit[0] is 3, expected text"},
      {{"/conditions/seconds", long_text},
       "conditions.seconds is \"" + long_text.substr(0, 39) + "..., expected a number"},
      {{"/transports", json::array()}, "transports is a list, expected an object"},
      {{"/transports/shm", 1}, "transports.shm is 1, expected an object"},
      {{"/layers", 1}, "layers is 1, expected an object"},
      {{"/transports/shm/logp/g/unit", "us"},
       R"(transports.shm.logp.g.unit is "us", expected "ns")"},
      {{"/transports/shm/logp/g/n", 1.5},
       "transports.shm.logp.g.n is 1.5, expected a whole number"},
      {{"/transports/shm/logp/g/n", std::uint64_t(1) << 63U}, "a whole number of at most 1e15"},
      {{"/transports/shm/logp/g/median", 1e300}, "is 1e+300, expected a number of at most 1e15"},
      {{"/transports/shm/logp/g/low", nullptr},
       "transports.shm.logp.g.low is null, expected a number"},
      {{"/transports/shm/logp/g/low", 1e6},
       "transports.shm.logp.g.low is 1000000.0, expected at most"},
      {{"/transports/shm/logp/g/high", 1}, "transports.shm.logp.g.high is 1, expected at least"},
      {{"/transports/shm/loggp/G/unit", "ns"},
       R"(transports.shm.loggp.G.unit is "ns", expected "ns/B")"},
      {{"/transports/shm/by_size/0/bytes", 1e30},
       "transports.shm.by_size[0].bytes is 1e+30, expected a whole number"},
      {{"/transports/shm/by_size/0/g/median", nullptr},
       "transports.shm.by_size[0].g.median is null, expected a number"},
      {{"/transports/shm/signature/0/ns", "fast"},
       R"(transports.shm.signature[0].ns is "fast", expected a number)"},
      {{"/conditions/costs/shm/get/G/median", "x"},
       R"(conditions.costs.shm.get.G.median is "x", expected a number)"},
  };
  for (const auto& one : all) {
    const std::string found = problem_of(with(whole, one.first.first, one.first.second));
    CAPTURE(found);
    CAPTURE(one.first.first);
    CHECK(found.find(one.second) != std::string::npos);
  }
}

TEST_CASE("the times of a condition lie around its median, and its share is a part") {
  calib::profile of = eventful_profile();
  of.condition = calib::line_condition{93, 90, 99, 0.6};
  of.others.push_back({{390, 370, 410, 0.3}, of.layers});
  const json whole = json::parse(calib::json_of(of));
  CHECK(read(whole.dump()).others.at(0).is.high == 410);
  for (const auto& [change, fault] :
       std::vector<std::pair<std::pair<const char*, json>, std::string>>{
           {{"0/share", 1.5}, "[0].share is 1.5, expected a number from 0 to 1"},
           {{"0/share", -0.1}, "[0].share is -0.1, expected a number from 0 to 1"},
           {{"0/share", 1e308}, "[0].share is 1e+308, expected a number of at most 1e15"},
           {{"1/share", "NaN"}, "[1].share is \"NaN\", expected a number"},
           {{"1/share", nullptr}, "[1].share is null, expected a number"},
           {{"0/low", 94}, "[0].low is 94, expected at most line_ns, 93"},
           {{"0/low", -1}, "[0].low is -1, expected a number of at least 0"},
           {{"1/low", 1e308}, "[1].low is 1e+308, expected a number of at most 1e15"},
           {{"0/high", 92}, "[0].high is 92, expected at least line_ns, 93"},
           {{"1/high", -1e308}, "[1].high is -1e+308, expected a number of at most 1e15"},
           {{"1/high", "inf"}, "[1].high is \"inf\", expected a number"},
           {{"0/slow_ranks", {2}}, "[0].slow_ranks[0] is 2, expected 0 or 1"},
           {{"0/slow_ranks", {1, 0}}, "[0].slow_ranks[1] is 0, expected more than the one before"},
           {{"0/slow_ranks", {0, 0}}, "[0].slow_ranks[1] is 0, expected more than the one before"},
           {{"1/slow_ranks", {-1}}, "[1].slow_ranks[0] is -1, expected a whole number"},
           {{"1/slow_ranks", {0, 1, 1}}, "[1].slow_ranks has 3 ranks, of at most 2"},
           {{"0/line_ns", -93}, "[0].line_ns is -93, expected a number of at least 0"},
           {{"1/line_ns", 1e308}, "[1].line_ns is 1e+308, expected a number of at most 1e15"}}) {
    const std::string where = std::string("/conditions/lines/") + change.first;
    CAPTURE(where);
    CHECK(problem_of(with(whole, where.c_str(), change.second)) == "conditions.lines" + fault);
  }
}

TEST_CASE("without a file it is the one that is kept, once there is one") {
  namespace fs = std::filesystem;
  std::string folder = fs::temp_directory_path() / "calib-reader-XXXXXX";
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  const std::string none = folder + "/none.json", bad = folder + "/bad.json";
  const std::string kept = folder + "/kept.json", other = folder + "/other.json";
  CHECK_FALSE(calib::read_profile(std::nullopt, {none, kept}));
  std::ofstream(kept) << calib::json_of(eventful_profile());
  const auto found = calib::read_profile(std::nullopt, {none, kept});
  REQUIRE(found);
  CHECK(found->fingerprint == "this machine");
  std::ofstream(bad) << "{}";
  CHECK_FALSE(calib::read_profile(std::nullopt, {bad}));

  // The first that fits, otherwise the first.
  calib::profile of_another = eventful_profile();
  of_another.fingerprint = calib::fingerprint_of(calib::this_machine());
  std::ofstream(other) << calib::json_of(of_another);
  const auto place_for = [&](const std::vector<std::string>& places, const std::string& machine) {
    const auto one = calib::find_profile(places, machine);
    return one ? one->place : "";
  };
  CHECK(place_for({none, bad, other, kept}, "this machine") == kept);
  CHECK(place_for({none, bad, other, kept}, "a third one") == other);
  fs::copy(kept, folder + "/twin.json");
  CHECK(place_for({other, kept, folder + "/twin.json"}, "this machine") == kept);
  CHECK(place_for({none, bad}, "this machine").empty());
  const auto fitting = calib::read_profile(std::nullopt, {kept, other});
  REQUIRE(fitting);
  CHECK(fitting->fingerprint == of_another.fingerprint);
  fs::remove_all(folder);
}

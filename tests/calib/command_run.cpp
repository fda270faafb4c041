// am-calibrate run, as people and scripts use it: the file, the profile that is kept, peers, a job,
// and what makes figures unfit.
#include "command.hpp"

#include "schema.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace fs = std::filesystem;

TEST_CASE("the profile of each transport, in the file and kept in the given place") {
  const scratch files;
  const std::string kept = files.path("deep/profile.json");
  const command_result found =
      calibrate({"run", "--quick", "--transport", "self,shm", "--rounds", "1", "--samples", "3",
                 "--json", files.path("whole.json"), "--profile", kept});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  const std::string text = text_of(files.path("whole.json"));
  CHECK(profile_departures(text) == std::vector<std::string>{});
  CHECK(text_of(kept) == text);
  CHECK(contains(found.err, "the profile is kept in " + kept));
  const auto whole = nlohmann::json::parse(text);
  CHECK(whole["complete"] == true);
  for (const std::string transport : {"self", "shm"}) {
    CAPTURE(transport);
    const auto& layer = whole["transports"][transport];
    CHECK(layer["logp"]["rtt"]["median"].is_number());
    CHECK(layer["loggp"]["G"]["median"].is_number());
    CHECK(layer["by_size"].size() > 15);
    CHECK(layer["signature"].size() > 20);  // fewer where messages are slow
    CHECK(contains(found.out, transport));
    for (const char* check : {"startup", "exchange"}) CHECK(layer["validation"].contains(check));
    for (const char* check : {"prtt", "pairs", "one_to_many", "many_to_one"})
      CHECK(layer["validation"].contains(check) == (transport == "shm"));
  }
  CHECK(contains(found.out, "LogP: what four words cost"));
  // The line and the paces are known beside the samples of shm, of which a round has thirteen
  // launches. The rounds are one and, where time is left, more: their number is the machine's.
  unsigned with_lines = 0;
  for (const auto& one : whole["conditions"]["launches"]) {
    const auto& first = one["measured"].at(0);
    if (first.contains("lines")) {
      CHECK(one["transport"] == "shm");
      CHECK(first["lines"].size() == first["samples"].size() + 1);
      CHECK(first["paces"].size() == 2 * first["lines"].size());
      ++with_lines;
    }
  }
  CHECK(with_lines >= 13);
}

TEST_CASE("beside a transport stand its peers, as far as they are here") {
  const command_result found = calibrate({"--transport", "tcp", "--rounds", "1", "--samples", "1",
                                          "--json", "-", "--profile", "none"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(profile_departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  CHECK(whole["layers"]["socket"]["logp"]["o_s"]["median"].is_number());
  CHECK(whole["layers"]["socket"]["loggp"]["G"]["median"].is_number());
  for (const auto& line : whole["conditions"]["remarks"]) CHECK_FALSE(contains(line, "lost"));
}

TEST_CASE("with --if-missing a profile that fits is left as it is, and another one is not used") {
  const scratch files;
  const std::string kept = files.path("profile.json");
  const std::vector<std::string> words = {"--transport", "self", "--rounds",  "1",
                                          "--samples",   "3",    "--profile", kept};
  REQUIRE(measured(calibrate(words).status));
  // As if libam could use it.
  auto usable = nlohmann::json::parse(text_of(kept));
  usable["runtime"]["complete"] = true;
  for (const char* name : {"o_s", "g", "rtt"})
    usable["runtime"]["transports"]["shm"]["logp"][name] = {{"median", 20}, {"unit", "ns"}};
  std::ofstream(kept) << usable;
  const std::string text = text_of(kept);
  std::vector<std::string> if_missing = words;
  if_missing.emplace_back("--if-missing");
  const command_result fits = calibrate(if_missing);
  CHECK(fits.status == 0);
  CHECK(fits.out.empty());
  CHECK(contains(fits.err, "the profile of this machine is kept in " + kept));
  CHECK(text_of(kept) == text);

  auto other = nlohmann::json::parse(text);
  other["fingerprint"] = "another machine";
  std::ofstream(kept) << other;
  const command_result anew = calibrate(if_missing);
  CAPTURE(anew.err);
  REQUIRE(measured(anew.status));
  // Both ways are followed in tests/calib/once.cpp.
  const bool busy = contains(anew.err, "nothing is measured, try again later");
  CHECK(nlohmann::json::parse(text_of(kept))["fingerprint"] !=
        (busy ? nlohmann::json::parse(text)["fingerprint"] : other["fingerprint"]));
  CHECK(busy == anew.out.empty());

  command one_cpu({"--if-missing", "--profile", kept + ".none"}, am_calibrate, true);
  const command_result never = one_cpu.wait();
  CHECK(never.status == 4);
  CHECK(contains(never.err, "two CPUs are needed and this process may use 1: nothing is measured"));
}

TEST_CASE("--if-missing needs a file for a profile that is not kept otherwise, and no job") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--profile", "none"},
                                                {"--json", "file.json"},
                                                {"--transport", "self"},
                                                {"--rounds", "1"}}) {
    std::vector<std::string> all = words;
    all.emplace_back("--if-missing");
    const command_result refused = calibrate(all);
    CHECK(refused.status == 2);
    CHECK(contains(refused.err, words[0]));
  }
  const std::string run = fs::path(am_calibrate).replace_filename("am-run");
  command job({"-n", "2", am_calibrate, "--if-missing"}, run);
  const command_result found = job.wait();
  CHECK(contains(found.err, "--if-missing is not for jobs"));
  CHECK(found.status == 2);
}

TEST_CASE("in a job of several processes it measures that job, and rank 0 reports") {
  const scratch files;
  const std::string json = files.path("job.json");
  const std::string run = fs::path(am_calibrate).replace_filename("am-run");
  command job({"-n", "3", "--bind", "none", am_calibrate, "--rounds", "2", "--samples", "1",
               "--json", json, "--profile", "none"},
              run);
  const command_result found = job.wait();
  CAPTURE(found.err);
  CHECK(found.status == 3);
  CHECK(contains(found.err, "unfit: ranks 0 and 1 may both run on one CPU"));
  CHECK(contains(found.out, "One way:"));
  const auto whole = nlohmann::json::parse(text_of(json));
  REQUIRE(whole["transports"].size() == 1);
  CHECK(whole["conditions"]["rounds"] == 2);
  CHECK(whole["conditions"]["others"].is_null());  // the other ranks are no strangers
  CHECK_FALSE(contains(found.err, "other processes"));
  CHECK(whole["transports"].begin().value()["logp"]["rtt"]["n"] == 2);
}

TEST_CASE("a job one of whose processes dies ends at once, whichever rank that is") {
  const std::string run = fs::path(am_calibrate).replace_filename("am-run");
  // The seeds choose the rank that dies.
  for (const auto& [fault, said] : {std::pair("kill,seed=3", "this rank's part of a pair failed"),
                                    std::pair("kill,seed=2", "failed: job: killed by")}) {
    ::setenv("AM_FAULT", fault, 1);
    command job({"-n", "2", "--bind", "none", am_calibrate, "--rounds", "3", "--samples", "1",
                 "--profile", "none"},
                run);
    const command_result found = job.wait();
    ::unsetenv("AM_FAULT");
    CAPTURE(found.err);
    CHECK(found.status == 1);
    CHECK(contains(found.err, said));
  }
}

TEST_CASE("the faults of AM_FAULT reach libam, and make the figures unfit") {
  ::setenv("AM_FAULT", "nonsense=1", 1);
  const command_result refused =
      calibrate({"--transport", "self", "--rounds", "1", "--samples", "1", "--profile", "none"});
  ::setenv("AM_FAULT", "delay=64,seed=1", 1);
  const command_result late =
      calibrate({"--transport", "self", "--rounds", "1", "--samples", "1", "--profile", "none"});
  ::unsetenv("AM_FAULT");
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "nonsense"));
  CHECK(late.status == 3);
  CHECK(contains(late.err, "unfit: AM_FAULT=delay=64,seed=1 makes libam's messages go wrong"));
}

TEST_CASE("beside a busy process the figures are unfit, and the table has that first") {
  const pid_t busy = ::fork();
  if (busy == 0) {
    ::alarm(60);
    for (volatile bool always = true; always;) continue;
  }
  const command_result found =
      calibrate({"--transport", "self", "--rounds", "2", "--samples", "5", "--profile", "none"});
  ::kill(busy, SIGKILL);
  ::waitpid(busy, nullptr, 0);
  CHECK(found.status == 3);
  CHECK(contains(found.err, "unfit: other processes used"));
  const std::size_t said = found.out.find("! other processes used");
  REQUIRE(said != std::string::npos);
  CHECK(said < found.out.find("LogP"));
}

TEST_CASE("a profile that has nowhere to go is noticed before, too, and a device stays one") {
  const command_result found = calibrate({"--full", "--profile", "/proc/nowhere/profile.json"});
  CHECK(found.status == 1);
  CHECK(contains(found.err,
                 "cannot write /proc/nowhere/profile.json: --profile FILE keeps it elsewhere"));
  const command_result nowhere = calibrate(
      {"--transport", "self", "--rounds", "1", "--samples", "1", "--profile", "/dev/null"});
  CHECK(measured(nowhere.status));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("with one CPU a profile is empty, and one that was stopped is incomplete") {
  const scratch files;
  const std::string json = files.path("found.json");
  const std::string kept = files.path("kept.json");
  const std::vector<std::string> words = {"--full", "--transport", "self,shm", "--json",
                                          json,     "--profile",   kept};
  const auto look = [&](const command_result& found, int status, const char* said) {
    CAPTURE(found.err);
    CHECK(found.status == status);
    CHECK(contains(found.err, said));
    CHECK(profile_departures(text_of(json)) == std::vector<std::string>{});
    CHECK(nlohmann::json::parse(text_of(json))["complete"] == false);
    CHECK(text_of(kept) == text_of(json));
  };
  command one(words, am_calibrate, true);
  look(one.wait(), 3, "unfit: two CPUs are needed and this process may use 1:");
  command two(words);
  ::usleep(700'000);
  REQUIRE(two.running());
  two.interrupt();
  look(two.wait(), 130, "stopped");
}

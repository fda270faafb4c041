// The command as people and scripts use it: exit statuses, what goes where, a real measurement that
// is as short as can be, and a stop in the middle.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schema.hpp"

namespace {

namespace fs = std::filesystem;

struct outcome {
  int status;
  std::string out;
  std::string err;
};

// A folder of our own, gone afterwards.
class scratch {
 public:
  scratch() {
    std::string pattern = fs::temp_directory_path() / "calib-command-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~scratch() { fs::remove_all(folder_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

class command {
 public:
  explicit command(std::vector<std::string> arguments, const std::string& program = AM_CALIBRATE,
                   bool one_cpu = false) {
    arguments.insert(arguments.begin(), program);
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (one_cpu) {
      cpu_set_t mask;
      ::sched_getaffinity(0, sizeof mask, &mask);
      int first = 0;
      while (!CPU_ISSET(first, &mask)) ++first;
      CPU_ZERO(&mask);
      CPU_SET(first, &mask);
      ::sched_setaffinity(0, sizeof mask, &mask);
    }
    ::dup2(::creat(files_.path("out").c_str(), 0600), STDOUT_FILENO);
    ::dup2(::creat(files_.path("err").c_str(), 0600), STDERR_FILENO);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execv(program.c_str(), pointers.data());
    ::_exit(127);
  }
  ~command() {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
  }
  command(const command&) = delete;
  command& operator=(const command&) = delete;
  void interrupt() const { ::kill(pid_, SIGINT); }
  [[nodiscard]] bool running() const {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    return ended.si_pid == 0;
  }
  outcome wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            text_of(files_.path("out")), text_of(files_.path("err"))};
  }

 private:
  scratch files_;
  pid_t pid_ = -1;
};

outcome calibrate(std::vector<std::string> arguments) {
  return command(std::move(arguments)).wait();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool measured(int status) { return status == 0 || status == 3; }

std::size_t rows_of(const nlohmann::json& whole, const std::string& layer) {
  std::size_t count = 0;
  for (const auto& row : whole["rows"]) count += row["layer"] == layer ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("help and version are results, on standard output") {
  const outcome help = calibrate({"peers", "--help"});
  CHECK(help.status == 0);
  CHECK(contains(help.out, "Examples:"));
  CHECK(contains(help.out, "Exit status:"));
  CHECK(help.err.empty());
  const outcome version = calibrate({"--version"});
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
    const outcome found = calibrate(arguments);
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
  const outcome found =
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
  CHECK(rows_of(whole, "am-shm") == 4);
  CHECK(whole["ratios"].size() == 4);
}

TEST_CASE("the profile of each transport, in the file and kept where it is asked for") {
  const scratch files;
  const std::string kept = files.path("deep/profile.json");
  const outcome found =
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
    CHECK(layer["signature"].size() > 40);
    CHECK(contains(found.out, transport));
    for (const char* opinion : {"startup", "exchange"})
      CHECK(layer["validation"].contains(opinion));
    for (const char* opinion : {"prtt", "pairs", "one_to_many", "many_to_one"})
      CHECK(layer["validation"].contains(opinion) == (transport == "shm"));
  }
  CHECK(contains(found.out, "a message costs this core"));
}

TEST_CASE("beside a transport stand its peers, as far as they are here") {
  const outcome found = calibrate({"--transport", "tcp", "--rounds", "1", "--samples", "1",
                                   "--json", "-", "--profile", "none"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(profile_departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  CHECK(whole["layers"]["socket"]["logp"]["o_s"]["median"].is_number());
  CHECK(whole["layers"]["socket"]["loggp"]["G"]["median"].is_number());
  for (const auto& line : whole["conditions"]["remarks"]) CHECK_FALSE(contains(line, "lost"));
}

TEST_CASE("as a job of several it measures that job, and its first rank speaks for all") {
  const scratch files;
  const std::string json = files.path("job.json");
  const std::string run = fs::path(AM_CALIBRATE).replace_filename("am-run");
  command job({"-n", "3", "--bind", "none", AM_CALIBRATE, "--rounds", "2", "--samples", "1",
               "--json", json, "--profile", "none"},
              run);
  const outcome found = job.wait();
  CAPTURE(found.err);
  CHECK(found.status == 3);
  CHECK(contains(found.err, "unfit: ranks 0 and 1 may both run on one CPU"));
  CHECK(contains(found.out, "Where one way goes"));
  const auto whole = nlohmann::json::parse(text_of(json));
  REQUIRE(whole["transports"].size() == 1);
  CHECK(whole["conditions"]["rounds"] == 2);
  CHECK(whole["transports"].begin().value()["logp"]["rtt"]["n"] == 2);
}

TEST_CASE("faults that are asked for reach libam, and make the figures unfit") {
  ::setenv("AM_FAULT", "nonsense=1", 1);
  const outcome refused =
      calibrate({"--transport", "self", "--rounds", "1", "--samples", "1", "--profile", "none"});
  ::setenv("AM_FAULT", "delay=64,seed=1", 1);
  const outcome late =
      calibrate({"--transport", "self", "--rounds", "1", "--samples", "1", "--profile", "none"});
  ::unsetenv("AM_FAULT");
  CHECK(refused.status == 1);
  CHECK(contains(refused.err, "nonsense"));
  CHECK(late.status == 3);
  CHECK(contains(late.err, "unfit: AM_FAULT=delay=64,seed=1 makes libam's messages go wrong"));
}

TEST_CASE("beside somebody who computes it is measured, but unfit, and that is said first") {
  const pid_t busy = ::fork();
  if (busy == 0) {
    ::alarm(60);
    for (volatile bool always = true; always;) continue;
  }
  const outcome found =
      calibrate({"--transport", "self", "--rounds", "2", "--samples", "5", "--profile", "none"});
  ::kill(busy, SIGKILL);
  ::waitpid(busy, nullptr, 0);
  CHECK(found.status == 3);
  CHECK(contains(found.err, "unfit: other processes used"));
  const std::size_t said = found.out.find("! other processes used");
  REQUIRE(said != std::string::npos);
  CHECK(said < found.out.find("LogP"));
}

TEST_CASE("bulk data of the sizes asked for, in both forms, and the limits that belong to it") {
  const outcome found =
      calibrate({"peers", "--layers", "limit-memcpy,limit-copy,am-shm", "--rounds", "1",
                 "--samples", "2", "--bytes", "4096,1048576", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  CHECK(rows_of(whole, "limit-memcpy") == 2);
  CHECK(rows_of(whole, "limit-copy") == 8);
  CHECK(rows_of(whole, "am-shm") == 4 + 8);
  CHECK(whole["conditions"]["above_limit"].size() == 8);
}

TEST_CASE("over tcp: rows of small messages and bulk data, and the limit that belongs to it") {
  const std::string layers = AM_TCP_LAYERS;
  const outcome found = calibrate({"peers", "--transport", "tcp", "--layers", layers, "--rounds",
                                   "1", "--samples", "10", "--bytes", "65536", "--json", "-"});
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
  CHECK(rows_of(whole, "am-tcp") == 4 + 4);
  CHECK(whole["ratios"].size() % 7 == 0);
  CHECK(conditions["above_limit"].size() == 4);
}

#ifdef AM_HAS_UCX_LAYERS
TEST_CASE("ucx is all of its ways that are measured, libam's messages beside UCX's own") {
  const outcome found = calibrate({"peers", "--transport", "ucx", "--rounds", "1", "--samples", "1",
                                   "--bytes", "65536", "--json", "-"});
  CAPTURE(found.err);
  REQUIRE(measured(found.status));
  CHECK(departures(found.out) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(found.out);
  std::set<std::string> seen;
  for (const auto& row : whole["rows"])
    seen.insert(row["layer"].get<std::string>() + " over " + row["transport"].get<std::string>());
  CHECK(seen == std::set<std::string>{"am-ucx over ucx:posix", "ucx-am over ucx:posix",
                                      "am-ucx over ucx:tcp", "ucx-am over ucx:tcp"});
}
#endif

TEST_CASE("two transports at a time, and layers of the one that are none of the other") {
  const outcome both =
      calibrate({"peers", "--transport", "tcp,shm", "--layers", "limit-socket,limit-line",
                 "--rounds", "1", "--samples", "1", "--bytes", "0"});
  CAPTURE(both.err);
  CHECK(measured(both.status));
  CHECK(both.out.find("limit-line ") < both.out.find("limit-socket "));
  CHECK(contains(both.out, "limit-socket "));
  const outcome other = calibrate({"peers", "--transport", "tcp", "--layers", "limit-line"});
  CHECK(other.status == 2);
  CHECK(contains(other.err, "unknown layer 'limit-line'; there are limit-socket am-tcp"));
}

TEST_CASE("a layer that is not there has no row, and one line says so; the tree may be moved") {
  const scratch moved;
  fs::create_directories(moved.path("lib/am/calib"));
  fs::create_directories(moved.path("bin"));
  const fs::path home = fs::path(AM_CALIBRATE).parent_path();
  fs::copy(AM_CALIBRATE, moved.path("bin/am-calibrate"));
  fs::copy(home / "../lib/am/calib/limit-line", moved.path("lib/am/calib/limit-line"));
  command run({"peers", "--layers", "limit-line,boost-spsc", "--rounds", "1", "--samples", "2",
               "--json", moved.path("found.json")},
              moved.path("bin/am-calibrate"));
  const outcome found = run.wait();
  CAPTURE(found.err);
  CHECK(measured(found.status));
  CHECK(contains(found.err, "am-calibrate: boost-spsc: not built"));
  CHECK(contains(found.out, "limit-line"));
  CHECK_FALSE(contains(found.out, "boost-spsc"));
  CHECK(departures(text_of(moved.path("found.json"))) == std::vector<std::string>{});
}

TEST_CASE("with one CPU nothing is measured, which is said aloud, and the file is written") {
  const scratch files;
  command run({"peers", "--layers", "limit-line", "--json", files.path("found.json")}, AM_CALIBRATE,
              true);
  const outcome found = run.wait();
  CHECK(found.status == 3);
  CHECK(contains(found.err, "unfit: this process may use 1 CPU"));
  CHECK(departures(text_of(files.path("found.json"))) == std::vector<std::string>{});
}

TEST_CASE("a file that cannot be written is noticed before anything is measured") {
  const outcome found = calibrate({"peers", "--rounds", "1000", "--json", "/nowhere/at/all.json"});
  CHECK(found.status == 1);
  CHECK(contains(found.err, "cannot write /nowhere/at/all.json"));
}

TEST_CASE("a profile that has nowhere to go is noticed before, too, and a device stays one") {
  const outcome found = calibrate({"--full", "--profile", "/proc/nowhere/profile.json"});
  CHECK(found.status == 1);
  CHECK(contains(found.err,
                 "cannot write /proc/nowhere/profile.json: --profile FILE keeps it elsewhere"));
  const outcome nowhere = calibrate(
      {"--transport", "self", "--rounds", "1", "--samples", "1", "--profile", "/dev/null"});
  CHECK(measured(nowhere.status));
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("a profile of one CPU has nothing in it, and one that is stopped says so") {
  const scratch files;
  const std::string json = files.path("found.json");
  const std::string kept = files.path("kept.json");
  const std::vector<std::string> words = {"--full", "--transport", "self,shm", "--json",
                                          json,     "--profile",   kept};
  const auto look = [&](const outcome& found, int status, const char* said) {
    CAPTURE(found.err);
    CHECK(found.status == status);
    CHECK(contains(found.err, said));
    CHECK(profile_departures(text_of(json)) == std::vector<std::string>{});
    CHECK(nlohmann::json::parse(text_of(json))["complete"] == false);
    CHECK(text_of(kept) == text_of(json));
  };
  command one(words, AM_CALIBRATE, true);
  look(one.wait(), 3, "unfit: this process may use 1 CPU");
  command two(words);
  ::usleep(700'000);
  REQUIRE(two.running());
  two.interrupt();
  look(two.wait(), 130, "stopped");
}

TEST_CASE("stopped in the middle: status 130, every file, and nobody left behind") {
  const scratch files;
  command run({"peers", "--layers", "limit-line,boost-spsc", "--rounds", "1000", "--json",
               files.path("found.json")});
  ::usleep(700'000);
  REQUIRE(run.running());
  run.interrupt();
  const outcome found = run.wait();
  CHECK(found.status == 130);
  CHECK(contains(found.err, "stopped"));
  const std::string text = text_of(files.path("found.json"));
  CHECK(departures(text) == std::vector<std::string>{});
  CHECK(nlohmann::json::parse(text)["complete"] == false);
}

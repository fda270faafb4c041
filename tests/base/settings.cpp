// The table of settings against the environment: accepted values, errors, warnings.
#include "capture.hpp"
#include "environment.hpp"

#include <libam/base/error.hpp>
#include <libam/base/format.hpp>
#include <libam/base/settings.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace am::detail;
using am_test::environment;
using base::settings;

namespace {

// Reads one setting with the others at their defaults.
am_status read_one(const char* name, const char* value, settings& out) {
  environment set(name, value);
  return base::read_settings(out);
}

bool refuses(const char* name, const char* value, std::string_view line) {
  settings read;
  const bool refused = read_one(name, value, read) == AM_ARGUMENT_SETTING;
  CHECK_MESSAGE(std::string(base::error_text()) == line, name, "=", value);
  return refused;
}

}  // namespace

TEST_CASE("without a variable the default holds, as the table documents it") {
  settings read;
  REQUIRE(base::read_settings(read) == AM_OK);
  CHECK(read.wait == base::wait_mode::automatic);
  CHECK(read.log == base::log_level::warn);
  CHECK(settings{}.profile == "auto");
  CHECK(read.credits == 4096);
  CHECK(read.shm_slots == 4096);
  CHECK(read.max_medium == 16384);
  for (const base::setting& row : base::settings_table()) {
    if (!row.built || row.fallback.empty()) continue;
    settings by_text;
    REQUIRE(row.read(row.fallback, by_text));
    CHECK(by_text.wait == read.wait);
    CHECK(by_text.log == read.log);
    CHECK(by_text.credits == read.credits);
    CHECK(by_text.shm_slots == read.shm_slots);
    CHECK(by_text.max_medium == read.max_medium);
    CHECK(by_text.profile == settings{}.profile);
  }
}

TEST_CASE("values in range are accepted") {
  settings read;
  REQUIRE(read_one("AM_CREDITS", "1", read) == AM_OK);
  CHECK(read.credits == 1);
  REQUIRE(read_one("AM_CREDITS", "4096", read) == AM_OK);
  CHECK(read.credits == 4096);
  for (const std::uint32_t bytes : {8192U, 16400U, 65536U}) {
    REQUIRE(read_one("AM_MAX_MEDIUM", std::to_string(bytes).c_str(), read) == AM_OK);
    CHECK(read.max_medium == bytes);
  }
  REQUIRE(read_one("AM_SHM_SLOTS", "2", read) == AM_OK);
  CHECK(read.shm_slots == 2);
  for (const double factor : {1.0, 2.5, 1000.0}) {
    REQUIRE(read_one("AM_DILATE", base::format("{}", factor).c_str(), read) == AM_OK);
    CHECK(read.dilate == factor);
  }
  REQUIRE(read_one("AM_WAIT", "spin", read) == AM_OK);
  CHECK(read.wait == base::wait_mode::spin);
  REQUIRE(read_one("AM_WAIT", "yield", read) == AM_OK);
  CHECK(read.wait == base::wait_mode::yield);
  REQUIRE(read_one("AM_WAIT", "block", read) == AM_OK);
  CHECK(read.wait == base::wait_mode::block);
  REQUIRE(read_one("AM_LOG", "debug", read) == AM_OK);
  CHECK(read.log == base::log_level::debug);
  REQUIRE(read_one("AM_TRANSPORT", "^shm", read) == AM_OK);
  CHECK(read.transport == "^shm");
  REQUIRE(read_one("AM_BOOTSTRAP", "alone", read) == AM_OK);
  CHECK(read.bootstrap == "alone");
}

TEST_CASE("an empty variable counts as unset") {
  settings read;
  CHECK(read_one("AM_CREDITS", "", read) == AM_OK);
  CHECK(read.credits == 4096);
}

TEST_CASE("other values are refused with the value and the range") {
  for (const char* value : {"0", "4097", "-1", "x", "7x", "99999999999999999999", " 7"})
    CHECK(refuses("AM_CREDITS", value, base::format("AM_CREDITS={}: must be 1..4096", value)));
  for (const char* value : {"8176", "16385", "65552", "0", "-16", "16k"})
    CHECK(refuses("AM_MAX_MEDIUM", value,
                  base::format("AM_MAX_MEDIUM={}: must be a multiple of 16, 8192..65536", value)));
  for (const char* value : {"1", "3", "8192"})
    CHECK(refuses("AM_SHM_SLOTS", value,
                  base::format("AM_SHM_SLOTS={}: must be a power of two, 2..4096", value)));
  for (const char* value : {"0", "0.99", "1000.1", "-2", "x", "2x", "nan", "inf", " 2"})
    CHECK(refuses("AM_DILATE", value, base::format("AM_DILATE={}: must be 1..1000", value)));
  CHECK(refuses("AM_WAIT", "nap", "AM_WAIT=nap: must be spin|yield|block|auto"));
  CHECK(refuses("AM_PROGRESS", "threads", "AM_PROGRESS=threads: must be poll|thread"));
  CHECK(refuses("AM_LOG", "loud", "AM_LOG=loud: must be none|error|warn|info|debug"));
}

TEST_CASE("AM_FAULT is a list of faults and a seed") {
  settings read;
  REQUIRE(read_one("AM_FAULT", "delay,kill,seed=18446744073709551615", read) == AM_OK);
  CHECK(read.fault.delay == 200);
  CHECK(read.fault.kill);
  CHECK(!read.fault.again);
  CHECK(!read.fault.stall);
  CHECK(read.fault.seed == ~std::uint64_t{0});
  REQUIRE(read_one("AM_FAULT", "delay=50", read) == AM_OK);
  CHECK(read.fault.delay == 50);
  REQUIRE(read_one("AM_FAULT", "drop=7,seed=1", read) == AM_OK);
  CHECK(read.fault.drop == 7);
  for (const char* value : {"lose", "delay,", ",delay", "seed=1", "delay,seed=", "delay,seed=-1",
                            "delay,seed=18446744073709551616", "delay again", "Delay", "drop=0"})
    CHECK(refuses("AM_FAULT", value,
                  base::format("AM_FAULT={}: must be {}", value, base::faults_range)));
}

TEST_CASE("durations are whole seconds, and a peer has at least one to answer") {
  settings read;
  REQUIRE(read_one("AM_PEER_TIMEOUT", "2", read) == AM_OK);
  CHECK(read.peer_timeout == std::chrono::seconds(2));
  REQUIRE(read_one("AM_PEER_TIMEOUT", "3600", read) == AM_OK);
  REQUIRE(read_one("AM_STALL_WARN", "0", read) == AM_OK);
  for (const char* value : {"1", "3601", "2.5", "2s"})
    CHECK(refuses("AM_PEER_TIMEOUT", value,
                  base::format("AM_PEER_TIMEOUT={}: must be 2..3600 s", value)));
}

TEST_CASE("dials are times with a unit, overheads and latency the whole or, with a plus, added") {
  settings read;
  REQUIRE(read_one("AM_DIAL", "L=+10us,o_s=+1us,o_r=+500ns,g_s=5us,g_r=0.006ms,G=2ns", read) ==
          AM_OK);
  CHECK(read.dial.set);
  CHECK(read.dial.L == 10e3);
  CHECK(read.dial.o_s == 1e3);
  CHECK(read.dial.o_r == 500);
  CHECK(read.dial.g_s == 5e3);
  CHECK(read.dial.g_r == doctest::Approx(6e3));
  CHECK(read.dial.G == 2);
  CHECK(read.dial.fragment == 4096);
  REQUIRE(read_one("AM_DIAL", "o=+2us,g=3us,fragment=1024,threshold=0", read) == AM_OK);
  CHECK(read.dial.o_s == 2e3);
  CHECK(read.dial.o_r == 2e3);
  CHECK(read.dial.g_s == 3e3);
  CHECK(read.dial.g_r == 3e3);
  CHECK(read.dial.fragment == 1024);
  CHECK(read.dial.threshold == 0);
  CHECK(read.dial.L == 0);
  CHECK_FALSE(read.dial.whole_L);
  CHECK_FALSE(read.dial.whole_o_s);
  REQUIRE(read_one("AM_DIAL", "L=10us,o=1us,o_r=+2us", read) == AM_OK);
  CHECK(read.dial.L == 10e3);
  CHECK(read.dial.whole_L);
  CHECK(read.dial.o_s == 1e3);
  CHECK(read.dial.whole_o_s);
  CHECK(read.dial.o_r == 2e3);
  CHECK_FALSE(read.dial.whole_o_r);
  CHECK_FALSE(read.dial.added_g_s);
  REQUIRE(read_one("AM_DIAL", "g=+5us,g_r=2us", read) == AM_OK);
  CHECK(read.dial.g_s == 5e3);
  CHECK(read.dial.added_g_s);
  CHECK(read.dial.g_r == 2e3);
  CHECK_FALSE(read.dial.added_g_r);
  REQUIRE(read_one("AM_DIAL", "g=+0us", read) == AM_OK);
  CHECK_FALSE(read.dial.added_g_r);  // its own gap would delay it
  REQUIRE(read_one("AM_DIAL", "L=+1us,L=+@a.so,g=+@/b/c.txt,o_r=+@d", read) == AM_OK);
  CHECK(read.dial.L == 1e3);
  CHECK(read.dial.L_file == "a.so");
  CHECK(read.dial.g_s_file == "/b/c.txt");
  CHECK(read.dial.g_r_file == "/b/c.txt");
  CHECK(read.dial.o_r_file == "d");
  CHECK(read.dial.o_s_file.empty());
  settings nothing_added;
  REQUIRE(read_one("AM_DIAL", "0", nothing_added) == AM_OK);
  CHECK(nothing_added.dial.set);
  for (const char* value :
       {"x",       "o",        "L=10",         "L=+10",        "L=+-1us",    "g=+1",       "G=+1ns",
        "L=+11s",  "L=+1us,",  "L=+1us,x=2",   "L=+1us g=2us", "fragment=0", "fragment=x", "L=+@",
        "L=@a.so", "G=+@a.so", "fragment=+@a", "L=+infus",     "L=+nanus",   "L=+1e3ns"})
    CHECK(refuses("AM_DIAL", value,
                  base::format("AM_DIAL={}: must be {}", value, base::dials_range)));
}

TEST_CASE("a setting that is not built yet is refused, and nothing else changes") {
  CHECK(
      refuses("AM_CLOSE_TIMEOUT", "5",
              "AM_CLOSE_TIMEOUT: this version of libam does not have this setting yet: unset it"));
  settings read;
  read.credits = 5;
  CHECK(read_one("AM_CLOSE_TIMEOUT", "5", read) == AM_ARGUMENT_SETTING);
  CHECK(read.credits == 5);
}

TEST_CASE("every documented name has exactly one row") {
  const std::set<std::string_view> promised = {
      "AM_TRANSPORT",   "AM_TCP_NET",       "AM_TCP_CRYPT",     "AM_PEER_TIMEOUT", "AM_RSH",
      "AM_WAIT",        "AM_BOOTSTRAP",     "AM_BIND",          "AM_LOG",          "AM_STATS",
      "AM_FAULT",       "AM_DIAL",          "AM_TRACE",         "AM_PROFILE",      "AM_STALL_WARN",
      "AM_CREDITS",     "AM_CLOSE_TIMEOUT", "AM_ON_PEER_DEATH", "AM_SHM_SLOTS",    "AM_SHM_BULK",
      "AM_MODULE_PATH", "AM_SHM_DIR",       "AM_MAX_MEDIUM",    "AM_PROGRESS",     "AM_TRACE_LIMIT",
      "AM_DILATE"};
  std::set<std::string_view> rows;
  for (const base::setting& row : base::settings_table()) {
    CHECK(rows.insert(row.name).second);
    CHECK(row.built == (row.read != nullptr));
    CHECK(!row.range.empty());
    CHECK(row.help.ends_with('.'));
  }
  CHECK(rows == promised);
}

TEST_CASE("the warning for an unknown name suggests the nearest one") {
  environment typo("AM_CREDIST", "4");
  const auto lines = base::unknown_settings();
  CHECK(std::count(lines.begin(), lines.end(),
                   "AM_CREDIST: there is no such setting; the nearest is AM_CREDITS") == 1);
}

TEST_CASE("an unknown name like no other gets no suggestion") {
  environment other("AM_SOMEBODY_ELSES", "4");
  const auto lines = base::unknown_settings();
  CHECK(std::count(lines.begin(), lines.end(),
                   "AM_SOMEBODY_ELSES: there is no such setting; am-info -c lists all") == 1);
}

TEST_CASE("AM_JOB_ variables and the names of the table are not unknown") {
  environment own("AM_JOB_SOMETHING", "1");
  environment known("AM_MODULE_PATH", "/x");
  for (const std::string& line : base::unknown_settings()) {
    CHECK(line.find("AM_JOB_SOMETHING") == std::string::npos);
    CHECK(line.find("AM_MODULE_PATH:") == std::string::npos);
  }
}

TEST_CASE("one rank warns for all, once") {
  environment typo("AM_WIAT", "spin");
  settings read;
  am_test::captured_errors errors;
  {
    environment rank("AM_JOB_RANK", "1");
    REQUIRE(base::load_settings(read) == AM_OK);
  }
  {
    environment quiet("AM_LOG", "error");
    REQUIRE(base::load_settings(read) == AM_OK);
  }
  CHECK(errors.text().empty());
  environment rank("AM_JOB_RANK", "0");
  for (int join = 0; join < 2; ++join) REQUIRE(base::load_settings(read) == AM_OK);
  CHECK(errors.text() == "am: warn: AM_WIAT: there is no such setting; the nearest is AM_WAIT\n");
}

TEST_CASE("the origin of each value is known") {
  environment set("AM_CREDITS", "9");
  for (const base::effective_setting& each : base::effective_settings()) {
    if (each.name == "AM_CREDITS") {
      CHECK(each.value == "9");
      CHECK(each.from_environment);
    } else if (each.name == "AM_SHM_SLOTS") {
      CHECK(each.value == "4096");
      CHECK(!each.from_environment);
    }
  }
}

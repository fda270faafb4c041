// Layer programs are started with what the catalogue says, whatever the user has set.
#include <calib/driver/child.hpp>
#include <calib/driver/machine.hpp>
#include <calib/driver/profile_json.hpp>
#include <calib/driver/profile_reader.hpp>

#include <doctest/doctest.h>
#include <stdlib.h>

#include <string>

TEST_CASE("what a way sets replaces the user's own, and AM_* of the user's are gone") {
  ::setenv("UCX_TLS", "rc", 1);
  ::setenv("UCX_NET_DEVICES", "eth0", 1);
  ::setenv("AM_CREDITS", "2", 1);
  calib::way how;
  how.who = {"ucx-am", "tcp"};
  // A shell would tidy up what it was handed: this tells it as it is.
  how.command = {"sed", R"(s/\x00/\nnote /g; s/^/note /; $a done)", "/proc/self/environ"};
  how.environment = {"UCX_TLS=tcp,self", "AM_TRANSPORT=tcp"};
  const calib::launch heard =
      calib::run(how, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
  for (const char* name : {"UCX_TLS", "UCX_NET_DEVICES", "AM_CREDITS"}) ::unsetenv(name);
  CHECK(heard.fault.empty());
  CHECK(heard.who == how.who);
  CHECK_FALSE(heard.confined);
  const auto there = [&](const char* setting) { return heard.notes.count(setting) == 1; };
  CHECK(there("UCX_TLS=tcp,self"));
  CHECK_FALSE(there("UCX_TLS=rc"));
  CHECK(there("UCX_NET_DEVICES=eth0"));
  CHECK(there("AM_TRANSPORT=tcp"));
  CHECK_FALSE(there("AM_CREDITS=2"));
}

TEST_CASE("a pair stays on the CPUs that it is given") {
  calib::way how;
  how.who = {"openmpi", "shm"};
  how.command = {"sed", "-n", R"(s/^Cpus_allowed_list:/note cpus/p; $a done)", "/proc/self/status"};
  how.cpus = {calib::allowed_cpus().back()};
  const calib::launch heard =
      calib::run(how, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
  CHECK(heard.fault.empty());
  CHECK(heard.notes.at("cpus") == std::to_string(how.cpus.front()));
  CHECK(heard.confined);
}

TEST_CASE("a program that complains in colours and odd letters loses no measurement") {
  calib::way how;
  how.who = {"mpich", "shm"};
  how.command = {
      "sh", "-c",
      R"(printf 'note version a\tb\n'; printf '\033[31mno\tway\302\233 \377\n' >&2; exit 3)"};
  const calib::launch heard =
      calib::run(how, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
  CHECK(heard.fault == "ended with status 3: ?[31mno way? \xff");
  CHECK(heard.notes.at("version") == "a b");
  calib::profile of;
  of.launches.push_back(heard);
  of.remarks.push_back(heard.fault);
  std::string trouble;
  const auto read = calib::profile_of(calib::json_of(of), trouble);
  CHECK(trouble.empty());
  REQUIRE(read);
  CHECK(read->remarks.front().starts_with("ended with status 3: ?[31mno way"));
}

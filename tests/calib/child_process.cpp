// Layer programs are started as their launch_spec says, whatever the user's environment has.
#include "../support/deny.hpp"

#include <calib/driver/launch/child_process.hpp>
#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/program/line_meter.hpp>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

TEST_CASE("variables of a launch_spec replace the user's own, and AM_* of the user's are gone") {
  ::setenv("UCX_TLS", "rc", 1);
  ::setenv("UCX_NET_DEVICES", "eth0", 1);
  ::setenv("AM_CREDITS", "2", 1);
  ::setenv("CALIB_LINE", "/dev/null", 1);
  calib::launch_spec spec;
  spec.layer = {"ucx-am", "tcp"};
  // sed shows the environment as it is: a shell would change it.
  spec.command = {"sed", R"(s/\x00/\nnote /g; s/^/note /; $a done)", "/proc/self/environ"};
  spec.variables = {"UCX_TLS=tcp,self", "AM_TRANSPORT=tcp"};
  const calib::launch result =
      calib::run_program(spec, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
  for (const char* name : {"UCX_TLS", "UCX_NET_DEVICES", "AM_CREDITS", "CALIB_LINE"})
    ::unsetenv(name);
  CHECK(result.fault.empty());
  CHECK(result.layer == spec.layer);
  CHECK_FALSE(result.confined);
  const auto there = [&](const char* setting) { return result.notes.count(setting) == 1; };
  CHECK(there("UCX_TLS=tcp,self"));
  CHECK_FALSE(there("UCX_TLS=rc"));
  CHECK(there("UCX_NET_DEVICES=eth0"));
  CHECK(there("AM_TRANSPORT=tcp"));
  CHECK_FALSE(there("AM_CREDITS=2"));
  CHECK(there("AM_PROFILE=off"));
  CHECK_FALSE(there("CALIB_LINE=/dev/null"));
}

TEST_CASE(
    "the two processes of a pair can open a page for a cache line, if the time of it is taken") {
  calib::launch_spec spec;
  spec.layer = {"am-shm", "shm"};
  spec.command = {"sh", "-c", "echo note bytes $(stat -Lc %s \"$CALIB_LINE\"); echo done"};
  const auto size_seen = [&](bool line) {
    spec.line = line;
    return calib::run_program(spec, {}, std::chrono::seconds(60), [](const auto&, const auto&) {})
        .notes.at("bytes");
  };
  CHECK(size_seen(true) == std::to_string(sizeof(calib::line_page)));
  CHECK(size_seen(false).empty());
}

TEST_CASE("a launch that knows no line although it was to says why") {
  calib::launch_spec spec;
  spec.layer = {"am-shm", "shm"};
  spec.command = {"sh", "-c", "echo values rtt all 1; echo done"};
  const auto why = [&] {
    const calib::launch one =
        calib::run_program(spec, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
    const auto found = one.notes.find(calib::no_line);
    return found == one.notes.end() ? "" : found->second;
  };
  CHECK(why().empty());
  spec.line = true;
  CHECK(why() == "the other process did not come");
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(am_test::deny_memfd() && why() == "memfd_create: Operation not permitted" ? 0 : 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  spec.command = {"sh", "-c", "echo note no_line open; echo values rtt all 1; echo done"};
  CHECK(why() == "open");
  spec.command = {"sh", "-c", "echo values rtt all 1; echo lines rtt all 80 81; echo done"};
  CHECK(why().empty());
}

TEST_CASE("a pair stays on the CPUs that it is given") {
  calib::launch_spec spec;
  spec.layer = {"openmpi", "shm"};
  spec.command = {"sed", "-n", R"(s/^Cpus_allowed_list:/note cpus/p; $a done)",
                  "/proc/self/status"};
  spec.cpus = {calib::allowed_cpus().back()};
  const calib::launch result =
      calib::run_program(spec, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
  CHECK(result.fault.empty());
  CHECK(result.notes.at("cpus") == std::to_string(spec.cpus.front()));
  CHECK(result.confined);
}

TEST_CASE("a program that complains in colours and odd letters loses no measurement") {
  calib::launch_spec spec;
  spec.layer = {"mpich", "shm"};
  spec.command = {
      "sh", "-c",
      R"(printf 'note version a\tb\n'; printf '\033[31mno\tway\302\233 \377\n' >&2; exit 3)"};
  const calib::launch result =
      calib::run_program(spec, {}, std::chrono::seconds(60), [](const auto&, const auto&) {});
  CHECK(result.fault == "ended with status 3: ?[31mno way? \xff");
  CHECK(result.notes.at("version") == "a b");
  calib::profile of;
  of.launches.push_back(result);
  of.remarks.push_back(result.fault);
  std::string problem;
  const auto read = calib::parse_profile(calib::json_of(of), problem);
  CHECK(problem.empty());
  REQUIRE(read);
  CHECK(read->remarks.front().starts_with("ended with status 3: ?[31mno way"));
}

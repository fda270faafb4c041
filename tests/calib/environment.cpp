// What makes figures unfit for use, and what is only worth knowing.
#include <calib/driver/measure/environment.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

calib::launch launched(const char* layer, std::vector<std::pair<const int, int>> cpus) {
  calib::launch out;
  out.layer = {layer, "shm"};
  out.cpus = {cpus.begin(), cpus.end()};
  return out;
}

calib::fitness fitness_of(const std::vector<calib::launch>& launches,
                          calib::environment env = calib::environment{}) {
  env.clock = "tsc";
  calib::fitness out;
  calib::collect_notes(launches, env);
  calib::check_environment(env, out);
  return out;
}

bool has(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE(
    "two processes on the same two CPUs for all layers, and no other load: the figures are fit") {
  const auto found =
      fitness_of({launched("am-shm", {{0, 0}, {1, 1}}), launched("limit-line", {{0, 0}, {1, 1}}),
                  launched("am-self", {{0, 1}})});
  auto unfit = found.unfit;
  std::erase(unfit, "this is not a release build");
  CHECK(unfit.empty());
  CHECK(found.failed.empty());
}

TEST_CASE("shared, different and missing CPUs are unfit, and the layer is named") {
  CHECK(has(fitness_of({launched("am-shm", {{0, 1}, {1, 1}})}).unfit,
            "am-shm: both processes on CPU 1"));
  CHECK(has(
      fitness_of({launched("am-shm", {{0, 0}, {1, 1}}), launched("limit-line", {{0, 0}, {1, 2}})})
          .unfit,
      "the layers ran on different CPUs"));
  CHECK(has(fitness_of({launched("am-shm", {{0, 0}})}).unfit,
            "am-shm: its processes were not pinned"));
  CHECK(has(fitness_of({launched("am-self", {})}).unfit, "am-self: its processes were not pinned"));
}

TEST_CASE("the ranks of a pair may have changed places") {
  CHECK_FALSE(has(
      fitness_of({launched("am-shm", {{0, 2}, {1, 0}}), launched("limit-line", {{0, 0}, {1, 2}})})
          .unfit,
      "different CPUs"));
}

TEST_CASE("ranks beyond a pair may be on any CPUs, but must be pinned") {
  calib::launch ranks = launched("am-shm", {{0, 2}, {1, 3}});
  ranks.confined = false;
  const auto pair = launched("am-shm", {{0, 0}, {1, 1}});
  const auto limit = launched("limit-line", {{0, 0}, {1, 1}});
  CHECK_FALSE(has(fitness_of({pair, limit, ranks}).unfit, "different CPUs"));
  ranks.cpus.clear();
  CHECK(has(fitness_of({pair, limit, ranks}).unfit, "am-shm: its processes were not pinned"));
}

TEST_CASE(
    "launches that failed, or were placed by the launcher of our own job, need not be pinned") {
  calib::launch failed = launched("am-shm", {});
  failed.fault = "no";
  calib::launch placed = launched("am-same-host", {});
  placed.placed = true;
  CHECK_FALSE(has(fitness_of({failed, placed}).unfit, "pinned"));
}

TEST_CASE("load by others is worth knowing, and from some point on makes figures unfit") {
  calib::environment env;
  env.others = 0.05;
  CHECK(has(fitness_of({}, env).remarks, "other processes used 5 % of the CPUs"));
  env.others = 0.2;
  CHECK(has(fitness_of({}, env).unfit, "other processes used 20 % of the CPUs"));
  env.others = 0;
  env.stolen = 0.02;
  CHECK(has(fitness_of({}, env).remarks, "the hypervisor took 2 %"));
  env.stolen = 0.1;
  CHECK(has(fitness_of({}, env).unfit, "the hypervisor took 10 %"));
}

TEST_CASE("a machine is busy from the load on at which its figures would be unfit") {
  CHECK(calib::find_busyness(0.3, 2).empty());
  CHECK(calib::find_busyness(0.31, 2) ==
        "this machine is busy: its load average is 0.31, and up to 0.30 are allowed");
  CHECK(calib::find_busyness(4, 64).empty());
}

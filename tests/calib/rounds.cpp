// Who is launched in which round, and when it ends: layer programs are stand-ins, which say at once
// what a shell can.
#include <calib/driver/rounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr auto a_day = std::chrono::seconds(24h);

calib::way says(const calib::carrier& who, const std::string& what) {
  calib::way out;
  out.who = who;
  // The driver's own arguments follow and become a note, too.
  out.command = {"sh", "-c", what + "; echo note arguments \"$*\"; echo done", "stand-in"};
  return out;
}

const calib::carrier ours{"am-shm", "shm"};
const calib::carrier peer{"openmpi", "shm"};

calib::campaign measured(const std::vector<calib::way>& ways, const calib::plan& plan) {
  return calib::measure(
      ways, plan, [](const calib::event&) {}, [](const calib::campaign&) { return false; });
}

auto launches_of(const calib::campaign& all, const calib::carrier& who) {
  return std::ranges::count(all.launches, who, &calib::launch::who);
}

}  // namespace

TEST_CASE("each way has its turn in every round, peers in the first ones") {
  const calib::campaign all =
      measured({says(ours, ":"), says(peer, ":")}, {5, 0, 1, 4, a_day, 0, {}, {}, 2});
  CHECK(all.complete);
  CHECK(all.rounds == 4);
  CHECK(launches_of(all, ours) == 4);
  CHECK(launches_of(all, peer) == 2);
  for (const calib::launch& one : all.launches) CHECK((one.who == ours || one.round <= 2));
}

TEST_CASE("no round begins when time is up, but for the least of them") {
  const calib::campaign all = measured({says(ours, ":")}, {5, 0, 2, 9, 0s, 0, {}, {}});
  CHECK(all.complete);
  CHECK(all.rounds == 2);
}

TEST_CASE("it ends when enough is known") {
  const calib::campaign all = calib::measure(
      {says(ours, ":")}, {5, 0, 2, 9, a_day, 0, {}, {}}, [](const calib::event&) {},
      [](const calib::campaign& so_far) { return so_far.rounds == 3; });
  CHECK(all.rounds == 3);
}

TEST_CASE("who fails twice is launched no more, and the others go on") {
  const calib::campaign all =
      measured({says(ours, ":"), says(peer, "exit 1")}, {5, 0, 4, 4, a_day, 0, {}, {}});
  CHECK(all.complete);
  CHECK(launches_of(all, ours) == 4);
  CHECK(launches_of(all, peer) == 2);
}

TEST_CASE("a trial that fails once is no reason to give a way up") {
  const calib::campaign all = measured({says(ours, "echo values rtt all 1"), says(peer, "exit 1")},
                                       {5, 3, 4, 4, a_day, 0, {}, {}});
  CHECK(all.complete);
  CHECK(launches_of(all, ours) == 5);
  CHECK(launches_of(all, peer) == 2);
}

TEST_CASE("a trial that fails drives no other way out of the race") {
  const calib::campaign all =
      measured({says(ours, "echo values rtt all 100"), says(ours, "echo values rtt all 1; exit 1")},
               {5, 3, 4, 4, a_day, 0, {}, {}});
  CHECK(all.complete);
  CHECK(std::ranges::count_if(all.launches, [](const auto& one) { return one.fault.empty(); }) ==
        5);
}

TEST_CASE("our part of a job ends with the first launch that fails") {
  calib::way how = says(ours, "exit 1");
  how.in_own_job = true;
  const calib::campaign all = measured({how}, {5, 0, 4, 4, a_day, 0, {}, {}});
  CHECK_FALSE(all.complete);
  CHECK(all.launches.size() == 1);
  CHECK(all.launches.back().fault.starts_with("ended with status 1"));
}

TEST_CASE("variants far behind the best one of the trial are not measured again") {
  const calib::campaign all = measured({says(ours,
                                             "echo values rtt near 120; echo values rtt best 100; "
                                             "echo values rtt far 140")},
                                       {5, 3, 1, 1, a_day, 0, {}, {}});
  REQUIRE(all.launches.size() == 2);
  CHECK(all.launches[0].notes.at("arguments") == "--samples 3");
  CHECK(all.launches[1].notes.at("arguments") == "--samples 5 --skip rtt:far");
}

TEST_CASE("the time left is told once every way has been launched in full") {
  std::vector<calib::event> told;
  calib::measure(
      {says(ours, ":"), says(peer, ":")}, {5, 0, 3, 3, a_day, 0, {}, {}},
      [&](const calib::event& now) { told.push_back(now); },
      [](const calib::campaign&) { return false; });
  REQUIRE(told.size() == 6);
  for (const calib::event& one : told) {
    CHECK((one.left >= 0) == (one.round >= 2));
    CHECK(one.done >= 0);
    CHECK(one.done <= 1);
  }
}

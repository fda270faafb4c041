// Which layers are launched in which round, and when it ends. The layer programs are replaced by
// shell commands, which report at once.
#include <calib/driver/launch/child_process.hpp>
#include <calib/driver/measure/rounds.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr auto a_day = std::chrono::seconds(24h);

calib::launch_spec says(const calib::measured_layer& layer, const std::string& what) {
  calib::launch_spec out;
  out.layer = layer;
  // The arguments that the driver adds become a note.
  out.command = {"sh", "-c", what + "; echo note arguments \"$*\"; echo done", "stand-in"};
  return out;
}

const calib::measured_layer ours{"am-shm", "shm"};
const calib::measured_layer peer{"openmpi", "shm"};

calib::campaign measured(const std::vector<calib::launch_spec>& specs, const calib::plan& plan) {
  return calib::measure(
      specs, plan, [](const calib::progress_event&) {},
      [](const calib::campaign&) { return false; });
}

auto launches_of(const calib::campaign& all, const calib::measured_layer& layer) {
  return std::ranges::count(all.launches, layer, &calib::launch::layer);
}

// Its status. A stop stays requested until a process ends, so it is requested of a child.
template <class What>
int in_a_child(What&& what) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what());
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("each layer is launched in every round, peers in the first ones") {
  const calib::campaign all =
      measured({says(ours, ":"), says(peer, ":")}, {5, 0, 1, 4, a_day, 0, {}, {}, 2});
  CHECK(all.complete);
  CHECK(all.rounds == 4);
  CHECK(launches_of(all, ours) == 4);
  CHECK(launches_of(all, peer) == 2);
  for (const calib::launch& one : all.launches) CHECK((one.layer == ours || one.round <= 2));
}

TEST_CASE("a layer has as many launches in a round as it has turns") {
  calib::launch_spec often = says(ours, ":");
  often.turns = 3;
  const calib::campaign all = measured({often, says(peer, ":")}, {5, 0, 2, 2, a_day, 0, {}, {}});
  CHECK(launches_of(all, ours) == 6);
  CHECK(launches_of(all, peer) == 2);
  for (const unsigned round : {1U, 2U})
    CHECK(std::ranges::count_if(all.launches, [&](const calib::launch& one) {
            return one.round == round && one.layer == ours;
          }) == 3);
}

TEST_CASE(
    "a layer is launched no more after two failures one after the other, however often its turn "
    "comes") {
  calib::launch_spec often = says(ours, "exit 1");
  often.turns = 13;
  CHECK(launches_of(measured({often}, {5, 0, 4, 4, a_day, 0, {}, {}}), ours) == 2);
  const std::string file = "/tmp/calib-rounds-" + std::to_string(::getpid());
  calib::launch_spec by_turns =
      says(ours, "if [ -e " + file + " ]; then rm " + file + "; else : >" + file + "; exit 1; fi");
  by_turns.turns = 3;
  CHECK(launches_of(measured({by_turns}, {5, 0, 4, 4, a_day, 0, {}, {}}), ours) == 12);
}

TEST_CASE("the time left and the part that is done count every turn") {
  calib::launch_spec often = says(ours, "sleep 0.1");
  often.turns = 3;
  often.expected_seconds = 1;
  std::vector<calib::progress_event> events;
  calib::measure(
      {often}, {5, 0, 1, 1, a_day, 0, {}, {}},
      [&](const calib::progress_event& now) { events.push_back(now); },
      [](const calib::campaign&) { return false; });
  REQUIRE(events.size() == 3);
  CHECK(events[1].left > 0.1);  // two turns more, of a tenth of a second each
  often.expected_seconds = 0;
  events.clear();
  calib::measure(
      {often}, {5, 0, 1, 1, a_day, 0, {}, {}},
      [&](const calib::progress_event& now) { events.push_back(now); },
      [](const calib::campaign&) { return false; });
  REQUIRE(events.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)  // of two rounds, with the trial that there is not
    CHECK(events[i].done == doctest::Approx(static_cast<double>(i) / 6));
}

TEST_CASE("no round after min_rounds begins when the time is up") {
  const calib::campaign all = measured({says(ours, ":")}, {5, 0, 2, 9, 0s, 0, {}, {}});
  CHECK(all.complete);
  CHECK(all.rounds == 2);
}

TEST_CASE("it ends when enough is known") {
  const calib::campaign all = calib::measure(
      {says(ours, ":")}, {5, 0, 2, 9, a_day, 0, {}, {}}, [](const calib::progress_event&) {},
      [](const calib::campaign& so_far) { return so_far.rounds == 3; });
  CHECK(all.rounds == 3);
}

TEST_CASE("a layer that fails twice is launched no more, and the others go on") {
  const calib::campaign all =
      measured({says(ours, ":"), says(peer, "exit 1")}, {5, 0, 4, 4, a_day, 0, {}, {}});
  CHECK(all.complete);
  CHECK(launches_of(all, ours) == 4);
  CHECK(launches_of(all, peer) == 2);
}

TEST_CASE("a layer whose trial fails once is launched further") {
  const calib::campaign all = measured({says(ours, "echo values rtt all 1"), says(peer, "exit 1")},
                                       {5, 3, 4, 4, a_day, 0, {}, {}});
  CHECK(all.complete);
  CHECK(launches_of(all, ours) == 5);
  CHECK(launches_of(all, peer) == 2);
}

TEST_CASE("a trial that fails drops no other layer") {
  const calib::campaign all =
      measured({says(ours, "echo values rtt all 100"), says(ours, "echo values rtt all 1; exit 1")},
               {5, 3, 4, 4, a_day, 0, {}, {}});
  CHECK(all.complete);
  CHECK(std::ranges::count_if(all.launches, [](const auto& one) { return one.fault.empty(); }) ==
        5);
}

TEST_CASE("our part of a job ends with the first launch that fails") {
  calib::launch_spec spec = says(ours, "exit 1");
  spec.in_own_job = true;
  const calib::campaign all = measured({spec}, {5, 0, 4, 4, a_day, 0, {}, {}});
  CHECK_FALSE(all.complete);
  CHECK(all.launches.size() == 1);
  CHECK(all.launches.back().fault.starts_with("ended with status 1"));
}

TEST_CASE("what a launch has measured until it is stopped is kept") {
  // The parent of the shell is the process that measures.
  const std::string stop = "sleep 0.3; kill -INT $PPID; sleep 60";
  const auto launches_kept = [&](const std::string& what) {
    return in_a_child([&] {
      calib::prepare_for_children();
      const calib::campaign all =
          measured({says(ours, what + stop)}, {5, 0, 4, 4, a_day, 0, {}, {}});
      if (all.complete || all.rounds > 0) return 99;
      for (const calib::launch& one : all.launches)
        if (one.fault != "stopped" || one.measured.size() != 1) return 99;
      return static_cast<int>(all.launches.size());
    });
  };
  CHECK(launches_kept("echo values rtt all 1; ") == 1);
  CHECK(launches_kept("") == 0);
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

TEST_CASE("the time left is reported once every layer has been launched in full") {
  std::vector<calib::progress_event> events;
  calib::measure(
      {says(ours, ":"), says(peer, ":")}, {5, 0, 3, 3, a_day, 0, {}, {}},
      [&](const calib::progress_event& now) { events.push_back(now); },
      [](const calib::campaign&) { return false; });
  REQUIRE(events.size() == 6);
  for (const calib::progress_event& one : events) {
    CHECK((one.left >= 0) == (one.round >= 2));
    CHECK(one.done >= 0);
    CHECK(one.done <= 1);
  }
}

TEST_CASE(
    "where it is known what launches may take, the time left is estimated from the first one") {
  calib::launch_spec brief = says(ours, "sleep 0.1");
  calib::launch_spec lengthy = says(peer, "sleep 0.1");
  brief.expected_seconds = 10;
  lengthy.expected_seconds = 30;
  std::vector<calib::progress_event> events;
  calib::measure(
      {brief, lengthy}, {5, 0, 2, 2, a_day, 7, {}, {}},
      [&](const calib::progress_event& now) { events.push_back(now); },
      [](const calib::campaign&) { return false; });
  REQUIRE(events.size() == 4);
  CHECK(events[0].left < 0);
  CHECK(events[1].left > 0.1);  // the other one, and both once more
}

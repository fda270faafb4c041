// Which pairs of a job are measured, and how a launch over several of them is split.
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/measure/rounds.hpp>
#include <calib/program/pair_classes.hpp>

#include <doctest/doctest.h>
#include <stdlib.h>

#include <string>
#include <vector>

using calib::rank_location;

namespace {

// name:peer of each pair.
std::string chosen(const std::vector<rank_location>& ranks) {
  std::string out;
  for (const calib::chosen_pair& one : calib::choose_pairs(ranks))
    out += std::string(out.empty() ? "" : " ") + one.name + ':' + std::to_string(one.peer);
  return out;
}

void forget_launchers() {
  for (const char* name :
       {"AM_JOB_RANK", "AM_JOB_RANKS", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK",
        "PMI_SIZE", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"})
    ::unsetenv(name);
}

}  // namespace

TEST_CASE("of each class the first rank, nearest first") {
  const rank_location first{0, "a", "L3 0", "0"};
  const rank_location beside{0, "a", "L3 0", "1"};
  const rank_location across{0, "a", "L3 1", "8"};
  const rank_location away{1, "b", "L3 0", "0"};
  CHECK(chosen({first}).empty());
  CHECK(chosen({first, beside}) == "same-cache:1");
  CHECK(chosen({first, away, across, beside, beside, away}) ==
        "same-cache:3 same-host:2 other-host:1");
}

TEST_CASE("no cache in common is not the same cache") {
  const rank_location unbound{0, "a", "", "0-63"};
  CHECK(chosen({unbound, unbound}) == "same-host:1");
}

TEST_CASE("containers of one kernel are hosts, whose ranks may share a CPU") {
  const rank_location first{0, "a", "L3 0", "0"};
  const rank_location beside{0, "a", "L3 0", "1"};
  const rank_location container{2, "a", "L3 0", "0"};
  const rank_location other_cpu{2, "a", "L3 0", "1"};
  CHECK(chosen({first, beside, container, other_cpu}) == "same-cache:1 other-host:3");
  CHECK(chosen({first, beside, container}) == "same-cache:1 other-host:2");
}

TEST_CASE("CPUs are shared within a kernel, where two sets of them have one in common") {
  const auto may_share = [](const char* one, const char* other, const char* kernel = "a") {
    return calib::may_share_cpu({0, "a", "", one}, {1, kernel, "", other});
  };
  CHECK(may_share("0-3,8", "8"));
  CHECK(may_share("2", "0-3"));
  CHECK(may_share("0,2-3", "1,3"));
  CHECK_FALSE(may_share("0-3,8", "4-7,9"));
  CHECK_FALSE(may_share("18", "1,8"));
  CHECK_FALSE(may_share("0-3", "0-3", "b"));
  CHECK_FALSE(may_share("", "0"));
}

TEST_CASE("a launch over several pairs is one for each, nearest first") {
  calib::launch whole;
  whole.layer = calib::own_job_specs("").front().layer;
  whole.round = 4;
  for (const char* probe :
       {"pair/other-host/rtt", "pair/same-cache/rtt", "pair/same-cache/delay/1", "rtt"})
    whole.measured.push_back(calib::series_of(probe, "default", {1}));
  whole.notes = {{"pair/other-host/window", "16"}, {"version", "libam"}};
  const std::vector<calib::launch> pairs = calib::split_by_pair(whole);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].layer == calib::measured_layer{"am-same-cache", "same-cache"});
  REQUIRE(pairs[0].measured.size() == 2);
  CHECK(pairs[0].measured[1].probe == "delay/1");
  CHECK(pairs[0].notes.empty());
  CHECK(pairs[1].layer.transport == "other-host");
  CHECK(pairs[1].round == 4);
  CHECK(pairs[1].notes.at("window") == "16");
}

TEST_CASE("sockets between two hosts are a launch of their own") {
  const std::vector<calib::launch_spec> specs = calib::own_job_specs("shm,tcp");
  REQUIRE(specs.size() == 2);
  CHECK(specs[0].variables == std::vector<std::string>{"AM_TRANSPORT=shm,tcp"});
  CHECK(specs[1].variables.empty());
  calib::launch plain;
  plain.layer = specs[1].layer;
  plain.measured.push_back(calib::series_of("rtt", "default", {1}));
  const std::vector<calib::launch> pairs = calib::split_by_pair(plain);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].layer == plain.layer);
  CHECK(pairs[0].measured.size() == 1);
  CHECK(calib::name_of(plain.layer) == "socket over other-host");
  CHECK(calib::name_of({"socket", "tcp"}) == "socket");
  CHECK(calib::pair_layers().back() == plain.layer);
}

TEST_CASE("between two hosts peers measures tcp alone, and no layer that needs loopback") {
  const auto layers = [](const calib::catalogue& found) {
    std::string out;
    for (const calib::launch_spec& one : found.specs) out += ' ' + one.layer.name;
    return out;
  };
  CHECK(layers(calib::find_job_layers({"shm", "tcp", "ucx:tcp"}, {})) ==
        " am-tcp limit-socket socket");
  CHECK(layers(calib::find_job_layers({"tcp"}, {"rpc", "socket"})) == " socket");
  CHECK(layers(calib::find_job_layers({"shm"}, {})).empty());
}

TEST_CASE("the ranks of a job make as many launches in one order, whatever they have measured") {
  calib::plan timed{};
  timed.trial_samples = 3;
  timed.min_rounds = 6;
  timed.max_rounds = 15;
  timed.seed = 77;
  const calib::plan one = calib::in_step(timed);
  timed.seed = 78;
  const calib::plan other = calib::in_step(timed);
  CHECK(one.seed == other.seed);
  CHECK(one.min_rounds == one.max_rounds);
  CHECK(one.trial_samples == 0);
}

TEST_CASE("a launch that measured nothing keeps its fault") {
  calib::launch whole;
  whole.layer = calib::own_job_specs("").front().layer;
  whole.fault = "cannot join";
  const std::vector<calib::launch> pairs = calib::split_by_pair(whole);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].fault == "cannot join");
}

TEST_CASE("a process is part of a job if the variables of a launcher say so") {
  forget_launchers();
  CHECK_FALSE(calib::find_own_rank());
  ::setenv("AM_JOB_RANK", "2", 1);
  CHECK_FALSE(calib::find_own_rank());
  ::setenv("AM_JOB_RANKS", "1", 1);
  CHECK_FALSE(calib::find_own_rank());
  ::setenv("AM_JOB_RANKS", "3x", 1);
  CHECK_FALSE(calib::find_own_rank());
  ::setenv("AM_JOB_RANKS", "3", 1);
  CHECK(calib::find_own_rank() == 2);
  forget_launchers();
}

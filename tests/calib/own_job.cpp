// Which pairs of a job are measured, and how a launch over several of them is split.
#include <calib/driver/launch/own_job.hpp>
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
  const rank_location first{"a", "L3 0", "0"};
  const rank_location beside{"a", "L3 0", "1"};
  const rank_location across{"a", "L3 1", "8"};
  const rank_location away{"b", "L3 0", "0"};
  CHECK(chosen({first}).empty());
  CHECK(chosen({first, beside}) == "same-cache:1");
  CHECK(chosen({first, away, across, beside, beside, away}) ==
        "same-cache:3 same-host:2 other-host:1");
}

TEST_CASE("no cache in common is not the same cache") {
  const rank_location unbound{"a", "", "0-63"};
  CHECK(chosen({unbound, unbound}) == "same-host:1");
}

TEST_CASE("a launch over several pairs is one for each, nearest first") {
  calib::launch whole;
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

TEST_CASE("a launch that measured nothing keeps its fault") {
  calib::launch whole;
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

// What is made of launches whose figures are known: parameters, the table, the file.
#include "profiles.hpp"
#include "schema.hpp"

#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_table.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

TEST_CASE("a layer has its parameters, its signature, and what pieces of data cost") {
  const calib::profile of = measured_profile();
  REQUIRE(of.layers.size() == 1);
  const calib::layer_profile& shm = of.layers.front();
  CHECK(shm.window == 64);
  CHECK(shm.logp["g"].value->median == doctest::Approx(250).epsilon(0.01));
  CHECK(shm.logp["rtt"].reached());
  CHECK(shm.wake_up->median == doctest::Approx(27000).epsilon(0.01));
  REQUIRE(shm.loggp.size() == 1);
  CHECK(shm.loggp[0].G.median == doctest::Approx(0.1));
  CHECK(shm.loggp[0].g0.median == doctest::Approx(40));
  REQUIRE(shm.sizes.size() == 6);
  CHECK(shm.sizes[1].bytes == 256);
  // One way: a round trip of four words there and back is 400.
  CHECK(shm.sizes[1].T.median == doctest::Approx(40 + 25.6 + 400 - 200).epsilon(0.01));
  CHECK(shm.sizes[1].bandwidth().value->median == doctest::Approx(256 / 65.6));
  // Half of the largest bandwidth: 40 + 0.1 n = 2 (0.1 + 40 / 65536) n.
  CHECK(*shm.loggp[0].half_bandwidth_bytes ==
        doctest::Approx(40 / (0.1 + 80.0 / 65536)).epsilon(0.001));
  const auto first = shm.signature.front();
  CHECK(first.messages == 0);
  CHECK(first.delay_ns == 0);
  CHECK(first.ns == doctest::Approx(250).epsilon(0.01));
}

TEST_CASE("the file holds to its schema") {
  calib::profile of = measured_profile();
  const std::string text = calib::json_of(of);
  CHECK(profile_departures(text) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(text);
  CHECK(whole["transports"]["shm"]["logp"]["o_s"]["n"] == 9);
  CHECK(whole["transports"]["shm"]["loggp"]["segments"][0]["operation"] == "store");
  CHECK(whole["conditions"]["launches"].size() == 9);
}

TEST_CASE("peers stand beside the transports, and one that fails is no failure of ours") {
  calib::profile of = measured_profile();
  of.layers.clear();
  for (std::size_t i = 0; i < 9; ++i) {
    calib::launch peer = of.launches[i];
    peer.layer = {"mpich", "shm"};
    of.launches.push_back(std::move(peer));
  }
  calib::launch broken;
  broken.layer = {"rpc", "tcp"};
  broken.fault = "no RPC service";
  of.launches.push_back(broken);
  calib::analyse(of);
  REQUIRE(of.layers.size() == 2);
  CHECK(of.layers[0].name() == "shm");
  CHECK(of.layers[1].name() == "mpich over shm");
  CHECK(of.failed.empty());
  CHECK(std::ranges::find(of.remarks, "rpc: no RPC service") != of.remarks.end());
  const std::string text = calib::json_of(of);
  CHECK(profile_departures(text) == std::vector<std::string>{});
  const auto whole = nlohmann::json::parse(text);
  CHECK(whole["transports"].size() == 1);
  CHECK(whole["layers"].size() == 1);
  CHECK(whole["layers"]["mpich over shm"]["logp"]["g"]["median"].is_number());
  CHECK(calib::table_of(of, false).find("mpich over shm") != std::string::npos);
}

TEST_CASE("what is not known is null with a reason in the file, and a question mark in the table") {
  const calib::profile of = narrow_profile();
  const auto logp = nlohmann::json::parse(calib::json_of(of))["transports"]["shm"]["logp"];
  CHECK(logp["o_s"]["median"].is_number());
  for (const char* name : {"o_s_stream", "o_r_stream"}) {
    CHECK(logp[name]["median"].is_null());
    CHECK(logp[name]["remark"] == "with a window of 1 every request waits for its answer");
    CHECK(logp[name]["reached"] == false);
  }
  CHECK(calib::table_of(of, false).find("?") != std::string::npos);
}

TEST_CASE("a gap that came out as no time at all has no bandwidth, and spoils no line") {
  calib::profile of = measured_profile();
  of.layers.clear();
  for (calib::launch& one : of.launches)
    for (calib::series& s : one.measured)
      if (s.probe == "size/store/1024/g") s = calib::series_of(s.probe, "default", {-3});
  calib::analyse(of);
  const calib::layer_profile& shm = of.layers.front();
  CHECK(shm.sizes[2].g.median == -3);
  CHECK_FALSE(shm.sizes[2].bandwidth().value);
  CHECK(shm.loggp[0].G.median == doctest::Approx(0.1));
  CHECK(*shm.loggp[0].half_bandwidth_bytes > 256);
  CHECK(*shm.loggp[0].half_bandwidth_bytes < 4096);
  const std::string text = calib::json_of(of);
  CHECK(profile_departures(text) == std::vector<std::string>{});
  const auto bandwidth =
      nlohmann::json::parse(text)["transports"]["shm"]["by_size"][2]["bandwidth"];
  CHECK(bandwidth["median"].is_null());
  CHECK(bandwidth["remark"] == "the gap was measured as zero");

  for (calib::launch& one : of.launches)
    for (calib::series& s : one.measured)
      if (s.probe.starts_with("size/") && s.probe.ends_with("/g"))
        s = calib::series_of(s.probe, "default", {0});
  // Even if a single launch has found some.
  for (calib::series& s : of.launches[2].measured)
    if (s.probe.ends_with("/64/g")) s = calib::series_of(s.probe, "default", {40});
  of.layers.clear();
  calib::analyse(of);
  CHECK(of.layers.front().loggp.empty());
  CHECK(profile_departures(calib::json_of(of)) == std::vector<std::string>{});
  CHECK(calib::table_of(of, false).find("shm") != std::string::npos);
}

TEST_CASE("the interval of a bandwidth is that of its gap upside down, if that has an end") {
  calib::sized_cost one{"store", 1000, about(20, 1), about(100, 20), about(300, 10)};
  const auto known = one.bandwidth().value;
  REQUIRE(known);
  CHECK(known->median == doctest::Approx(10));
  CHECK(known->interval->low == doctest::Approx(1000.0 / 120));
  CHECK(known->interval->high == doctest::Approx(1000.0 / 80));
  CHECK(known->n == 9);
  one.g = about(100, 100);
  CHECK(one.bandwidth().value->median == doctest::Approx(10));
  CHECK_FALSE(one.bandwidth().value->interval);
}

TEST_CASE("launches' pieces go together by operation and size, not by their order") {
  calib::profile of = measured_profile();
  of.layers.clear();
  std::erase_if(of.launches[4].measured,
                [](const calib::series& s) { return s.probe.starts_with("size/store/64/"); });
  calib::analyse(of);
  REQUIRE(of.layers.front().sizes.size() == 6);
  CHECK(of.layers.front().sizes[0].g.n == 8);
  CHECK(of.layers.front().sizes[5].g.n == 9);
  CHECK(of.layers.front().sizes[5].g.interval->high == doctest::Approx(40 + 6553.6));
}

TEST_CASE("the table has its warnings first, then the figures and what follows from them") {
  calib::profile of = measured_profile();
  of.unfit.emplace_back("somebody else was there");
  const std::string text = calib::table_of(of, false);
  CAPTURE(text);
  CHECK(text.find("! somebody else was there") < text.find("LogP: what four words cost"));
  for (const char* part : {"o_s", "o_r", "shm store", "M = 1 ..", "a message costs this core 60",
                           "2 messages fit in a round trip", "Medians of 9 launches"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(text.find("\x1b") == std::string::npos);
  CHECK(calib::table_of(of, true).find("\x1b[31m") != std::string::npos);
}

TEST_CASE("the table names the fewest and the most launches that a figure is of") {
  calib::profile of = measured_profile();
  of.layers.clear();
  for (std::size_t i = 0; i < 7; ++i) {
    of.launches.push_back(of.launches[i]);
    of.launches.back().layer = {"mpich", "shm"};
  }
  calib::analyse(of);
  CHECK(calib::table_of(of, false).find("Medians of 7 to 9 launches in ") != std::string::npos);
  of.layers[0].logp.parameters[6].value.reset();  // rtt
  CHECK(calib::table_of(of, false).find("Medians of 7 launches in ") != std::string::npos);
}

TEST_CASE("a launch that failed counts for nothing, and a transport without any has failed") {
  calib::profile of = measured_profile();
  calib::profile again;
  again.launches = of.launches;
  again.launches[3].fault = "killed by Killed";
  calib::launch other;
  other.layer = {"am-tcp", "tcp"};
  other.fault = "no network";
  again.launches.push_back(other);
  calib::analyse(again);
  CHECK(again.layers.front().logp["rtt"].value->n == 8);
  CHECK(again.failed == std::vector<std::string>{"tcp: no network"});
  CHECK(std::ranges::count(again.remarks, "shm: killed by Killed (in 1 of its launches)") == 1);
}

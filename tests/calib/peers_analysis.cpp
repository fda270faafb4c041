// What is made of launches: rows, ratios within rounds, and remarks.
#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/peers/result.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "launch_sets.hpp"

namespace {

const calib::row* row_of(const calib::result& from, const std::string& layer,
                         const std::string& probe) {
  const auto found = std::find_if(from.rows.begin(), from.rows.end(), [&](const calib::row& r) {
    return r.layer.name == layer && r.metric == calib::parse_metric(probe);
  });
  return found == from.rows.end() ? nullptr : &*found;
}

const calib::ratio* ratio_of(const calib::result& from, const std::string& against,
                             const std::string& probe) {
  const auto found = std::find_if(from.ratios.begin(), from.ratios.end(), [&](const auto& r) {
    return r.against.name == against && r.metric == calib::parse_metric(probe);
  });
  return found == from.ratios.end() ? nullptr : &*found;
}

bool says(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a row is the median over launches, with the interval of eight") {
  auto from = drifting_machine();
  calib::analyse(from);
  CHECK(from.rows.size() == 9);
  const auto* row = row_of(from, "limit-line", "rtt");
  REQUIRE(row != nullptr);
  CHECK(row->value.n == 8);
  CHECK(row->value.median == doctest::Approx(418));
  REQUIRE(row->value.interval);
  CHECK(row->value.interval->low == doctest::Approx(404));
  CHECK(row->value.interval->high == doctest::Approx(432));
  CHECK(row->metric.bytes == 32);
  CHECK(row_of(from, "am-shm", "idle_poll")->metric.bytes == 0);
}

TEST_CASE("ratios are taken within rounds, so drift of the machine does not touch them") {
  auto from = drifting_machine();
  calib::analyse(from);
  const auto* ratio = ratio_of(from, "limit-line", "rtt");
  REQUIRE(ratio != nullptr);
  CHECK(ratio->value.median == doctest::Approx(1.05));
  CHECK(ratio->value.interval->low == doctest::Approx(1.05));
  CHECK(ratio->value.interval->high == doctest::Approx(1.05));
  CHECK(ratio_of(from, "openmpi", "rtt")->value.median == doctest::Approx(0.5));
  CHECK(calib::ratios_reached(from.launches));
}

TEST_CASE("an answered flood is held against the limit's flood") {
  auto from = drifting_machine();
  calib::analyse(from);
  const auto* ratio = ratio_of(from, "limit-ring", "rr_flood");
  REQUIRE(ratio != nullptr);
  CHECK(ratio->against_metric.probe == "flood");
  CHECK(ratio->value.median == doctest::Approx(2.5));
}

TEST_CASE("the best variant has the row, unless it was not measured in every round") {
  auto from = drifting_machine();
  calib::analyse(from);
  CHECK(row_of(from, "openmpi", "flood")->variant == "vader,window=64");
  CHECK(from.environment.notes["openmpi over shm"]["flood"] == "vader,window=64");

  auto lucky = launched(3, "openmpi");
  with(lucky, "flood", 1, "ucx,window=64");
  from = drifting_machine();
  from.launches.push_back(lucky);
  calib::analyse(from);
  CHECK(row_of(from, "openmpi", "flood")->variant == "vader,window=64");
}

TEST_CASE("the trial and launches that failed count for nothing") {
  auto from = drifting_machine();
  auto trial = launched(0, "limit-line");
  with(trial, "rtt", 1);
  auto broken = launched(2, "limit-line");
  with(broken, "rtt", 1);
  broken.fault = "killed by Killed";
  from.launches.insert(from.launches.end(), {trial, broken});
  calib::analyse(from);
  CHECK(row_of(from, "limit-line", "rtt")->value.median == doctest::Approx(418));
  CHECK(says(from.remarks, "limit-line: killed by Killed"));
  CHECK(from.failed.empty());
}

TEST_CASE("a layer without any row: libam's is a failure, a peer makes the table unfit") {
  calib::result from;
  for (const char* layer : {"am-shm", "mpich"}) {
    auto broken = launched(1, layer);
    broken.fault = "ended with status 1";
    from.launches.push_back(broken);
  }
  calib::analyse(from);
  CHECK(from.failed == std::vector<std::string>{"am-shm: ended with status 1"});
  CHECK(from.unfit == std::vector<std::string>{"mpich over shm: ended with status 1"});
}

TEST_CASE("a limit that is beaten is named as at fault") {
  auto from = drifting_machine();
  calib::analyse(from);
  CHECK_FALSE(says(from.remarks, "fault of"));

  from = drifting_machine();
  for (auto& one : from.launches)
    if (one.layer.name == "am-shm" && one.measured[0].probe == "rtt") one.measured[0].median *= 0.5;
  calib::analyse(from);
  CHECK(says(from.remarks, "fault of limit-line: am-shm takes only 0.53 of its rtt"));
}

TEST_CASE("a round in which a limit jumps is named and kept") {
  auto from = drifting_machine();
  for (auto& one : from.launches)
    if (one.layer.name == "limit-line" && one.round == 5) one.measured[0].median = 66;
  calib::analyse(from);
  CHECK(says(from.remarks, "round 5: limit-line's rtt was 66.0 ns"));
  CHECK(row_of(from, "limit-line", "rtt")->value.n == 8);
  CHECK_FALSE(calib::ratios_reached(from.launches));
}

TEST_CASE("a lone message after a flood is looked at") {
  for (const double times : {1.2, 1.4}) {
    auto from = drifting_machine();
    for (auto& one : from.launches)
      if (one.layer.name == "am-shm" && one.measured[0].probe == "rtt")
        with(one, "rtt_after_flood", one.measured[0].median * times);
    calib::analyse(from);
    CHECK(from.lone_after_flood.at("am-shm").median == doctest::Approx(times));
    CHECK(says(from.remarks, "lone message") == (times > 1.3));
    CHECK(row_of(from, "am-shm", "rtt_after_flood") == nullptr);
  }
}

TEST_CASE("few rounds have figures, no intervals, and a remark") {
  calib::result from;
  auto line = launched(1, "limit-line");
  with(line, "rtt", 400);
  from.launches.push_back(line);
  calib::analyse(from);
  REQUIRE(from.rows.size() == 1);
  CHECK_FALSE(from.rows[0].value.interval);
  CHECK(from.rows[0].remark.find("1 round is too few") != std::string::npos);
  CHECK(from.ratios.empty());
}

TEST_CASE("bulk data is in GB/s, its rows and ratios by size and form") {
  auto from = moving_machine();
  calib::analyse(from);
  const auto* row = row_of(from, "limit-copy", "store/4096/touched");
  REQUIRE(row != nullptr);
  CHECK(row->value.median == doctest::Approx(4096 / 104.5).epsilon(0.001));
  CHECK(row->value.interval->low < row->value.median);
  CHECK(row->value.median < row->value.interval->high);
  CHECK(row_of(from, "limit-copy", "store/4096/untouched") == nullptr);

  const auto* ratio = ratio_of(from, "limit-copy", "store/4096/touched");
  REQUIRE(ratio != nullptr);
  CHECK(ratio->value.median == doctest::Approx(0.8));
  CHECK(ratio_of(from, "mpich", "get/65536/untouched")->value.median == doctest::Approx(4));
  CHECK(ratio_of(from, "mpich", "store/4096/touched") == nullptr);
}

TEST_CASE("mediums are in ns, by size and way; less is better") {
  auto from = mailing_machine();
  calib::analyse(from);
  const auto* row = row_of(from, "ucx-am", "medium/16384/bothways");
  REQUIRE(row != nullptr);
  CHECK(row->variant == "window=8,eager");
  CHECK(row->value.median == doctest::Approx(2000 * 1.045));
  CHECK(ratio_of(from, "ucx-am", "medium/16384/bothways")->value.median == doctest::Approx(1.5));
  CHECK(ratio_of(from, "openmpi", "medium/64/oneway")->value.median == doctest::Approx(0.5));
  CHECK(ratio_of(from, "openmpi", "medium/16384/bothways") == nullptr);
  CHECK(from.excesses.empty());
  CHECK(from.environment.notes["ucx-am over shm"]["medium/16384/bothways"] == "window=8,eager");
}

TEST_CASE("the time above the limit is a median of differences within rounds") {
  auto from = moving_machine();
  calib::analyse(from);
  REQUIRE(from.excesses.size() == 2);
  CHECK(from.excesses[0].metric == calib::parse_metric("store/4096/touched"));
  CHECK(from.excesses[0].ns.median == doctest::Approx(25 * 1.045));
  CHECK(from.excesses[1].metric == calib::parse_metric("get/65536/untouched"));
  CHECK(from.excesses[1].ns.median == doctest::Approx(-200 * 1.045));
}

TEST_CASE("a limit of bulk data that is beaten is named, in time") {
  auto from = moving_machine();
  calib::analyse(from);
  CHECK(
      says(from.remarks, "fault of limit-copy: am-shm takes only 0.90 of its get/65536/untouched"));
  CHECK_FALSE(says(from.remarks, "store/4096"));
}

TEST_CASE("of the figures that jump in one round the first is named and the others are counted") {
  auto from = moving_machine();
  for (auto& one : from.launches)
    if (one.layer.name == "limit-copy" && one.round == 4)
      for (auto& s : one.measured) s.median *= 3;
  calib::analyse(from);
  CHECK(says(from.remarks, "round 4: limit-copy's store/4096/touched was"));
  CHECK(says(from.remarks, "so it was with 1 more of its figures"));
  CHECK_FALSE(says(from.remarks, "round 5"));
}

TEST_CASE("a layer over two transports has rows of each, and names that differ") {
  auto from = two_transports();
  calib::analyse(from);
  const auto value = [&](const calib::measured_layer& layer) {
    const auto found = std::ranges::find_if(from.rows, [&](const calib::row& r) {
      return r.layer == layer && r.metric.probe == "rtt";
    });
    return found == from.rows.end() ? 0 : found->value.median;
  };
  CHECK(value({"openmpi", "shm"}) == doctest::Approx(840 * 1.045));
  CHECK(value({"openmpi", "tcp"}) == doctest::Approx(26400 * 1.045));
  CHECK(from.environment.notes.count("openmpi over shm") == 1);
  CHECK(from.environment.notes.count("openmpi over tcp") == 1);
  CHECK(from.environment.notes.count("am-tcp") == 1);
}

TEST_CASE("ratios and limits stay within a transport") {
  auto from = two_transports();
  calib::analyse(from);
  for (const calib::ratio& r : from.ratios) CHECK(r.layer.transport == r.against.transport);
  const auto against = [&](const std::string& layer, const std::string& probe) {
    const auto found = std::ranges::find_if(from.ratios, [&](const calib::ratio& r) {
      return r.layer.name == "am-tcp" && r.against.name == layer && r.metric.probe == probe;
    });
    REQUIRE(found != from.ratios.end());
    return *found;
  };
  CHECK(against("openmpi", "rtt").value.median == doctest::Approx(0.25));
  CHECK(against("limit-socket", "rr_flood").against_metric.probe == "rr_flood");
  CHECK(against("limit-socket", "rr_flood").value.median == doctest::Approx(10));
  REQUIRE(from.excesses.size() == 2);
  CHECK(from.excesses[1].against == calib::measured_layer{"limit-socket", "tcp"});
  CHECK(from.excesses[1].ns.median == doctest::Approx(500 * 1.045));
  CHECK_FALSE(says(from.remarks, "fault of"));
}

TEST_CASE("a peer that fails over one transport is named with it") {
  auto from = two_transports();
  std::erase_if(from.launches, [](const calib::launch& one) {
    return one.layer == calib::measured_layer{"openmpi", "tcp"};
  });
  auto broken = launched(1, "openmpi", "tcp");
  broken.fault = "ended with status 1";
  from.launches.push_back(broken);
  calib::analyse(from);
  CHECK(from.unfit == std::vector<std::string>{"openmpi over tcp: ended with status 1"});
}

TEST_CASE("the catalogue: every layer over every transport once, transport by transport") {
  const auto& all = calib::measured_layers();
  CHECK(std::set<calib::measured_layer>(all.begin(), all.end()).size() == all.size());
  std::vector<std::string> order;
  for (const calib::measured_layer& layer : all) {
    if (order.empty() || order.back() != layer.transport) order.push_back(layer.transport);
    const calib::measured_layer limit = calib::bulk_limit_of(layer);
    // Over UCX its raw messages are what libam's are held against.
    const bool by_ucx = layer.transport.starts_with("ucx:");
    CHECK((by_ucx ? limit.name == "ucx-am" : is_limit(limit)));
    CHECK(std::ranges::find(all, limit) != all.end());
  }
  CHECK(order == std::vector<std::string>{"shm", "tcp", "ucx:posix", "ucx:tcp", "ucx:user"});
  CHECK(calib::name_of({"mpich", "shm"}) == "mpich over shm");
  CHECK(calib::name_of({"socket", "tcp"}) == "socket");
}

TEST_CASE("metrics are read and written alike") {
  for (const char* said : {"rtt", "flood", "rtt_after_flood", "store/4096/touched",
                           "get/67108864/untouched", "medium/64/oneway"})
    CHECK(calib::text_of(calib::parse_metric(said)) == said);
  CHECK(calib::parse_metric("medium/16384/bothways") == calib::metric{"medium", "bothways", 16384});
  CHECK(calib::parse_metric("store/4096/touched") == calib::metric{"store", "touched", 4096});
  CHECK(calib::size_text(64) == "64 B");
  CHECK(calib::size_text(1024) == "1 KiB");
  CHECK(calib::size_text(65536) == "64 KiB");
  CHECK(calib::size_text(1 << 26) == "64 MiB");
}

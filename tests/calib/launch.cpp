// The lines by which a layer program reports what it measured.
#include <calib/driver/launch/launch.hpp>

#include <doctest/doctest.h>

using calib::parse_line;

TEST_CASE("values become a series with its median") {
  calib::launch result;
  CHECK_FALSE(parse_line(result, "", "values rtt default 3.5 1.5 2.5"));
  REQUIRE(result.measured.size() == 1);
  CHECK(result.measured[0].probe == "rtt");
  CHECK(result.measured[0].variant == "default");
  CHECK(result.measured[0].samples == std::vector<double>{3.5, 1.5, 2.5});
  CHECK(result.measured[0].warm_up == 0);
  CHECK(result.measured[0].median == 2.5);
  CHECK(result.fault.empty());
}

TEST_CASE("the median leaves warm-up out, the samples keep it") {
  calib::launch result;
  std::string line = "values flood default 900 900 900 900 900";
  for (int i = 0; i < 20; ++i) line += " 10";
  parse_line(result, "", line);
  REQUIRE(result.measured.size() == 1);
  CHECK(result.measured[0].samples.size() == 25);
  CHECK(result.measured[0].warm_up > 0);
  CHECK(result.measured[0].median == 10);
}

TEST_CASE("the name of the start method stands before the variant") {
  calib::launch result;
  parse_line(result, "vader", "values flood window=64 130");
  CHECK(result.measured.at(0).variant == "vader,window=64");
}

TEST_CASE("notes, CPUs, faults and the end") {
  calib::launch result;
  CHECK_FALSE(parse_line(result, "", "note version Open MPI v4.1.4"));
  CHECK_FALSE(parse_line(result, "", "cpu 1 3"));
  CHECK_FALSE(parse_line(result, "", "begin rtt default"));
  CHECK(result.notes.at("version") == "Open MPI v4.1.4");
  CHECK(result.cpus.at(1) == 3);
  CHECK(result.fault.empty());
  CHECK_FALSE(parse_line(result, "", "fault a message was lost in flood"));
  CHECK(result.fault == "a message was lost in flood");
  CHECK(parse_line(result, "", "done"));
}

TEST_CASE("figures that cannot be read are a fault, other words are none") {
  calib::launch result;
  CHECK_FALSE(parse_line(result, "", "A launcher may say what it likes"));
  CHECK_FALSE(parse_line(result, "", ""));
  CHECK(result.fault.empty());
  parse_line(result, "", "values rtt default 1 2 x3");
  CHECK_FALSE(result.fault.empty());
  calib::launch empty;
  parse_line(empty, "", "values rtt default");
  CHECK_FALSE(empty.fault.empty());
}

TEST_CASE("the times of a line belong to the series before, one more than it has samples") {
  calib::launch result;
  parse_line(result, "", "values rtt default 3.5 1.5 2.5");
  parse_line(result, "", "lines rtt default 93 94 0 390");
  CHECK(result.fault.empty());
  CHECK(result.measured.at(0).lines == std::vector<double>{93, 94, 0, 390});
  for (const char* wrong : {"lines rtt default 93 94", "lines g default 93 94 0 390",
                            "lines rtt default 93 94 x 390"}) {
    calib::launch bad = result;
    parse_line(bad, "", wrong);
    CHECK(bad.fault.starts_with("cannot read its lines of "));
  }
}

TEST_CASE("the paces of both ranks belong to the series before, two for each time of the line") {
  calib::launch result;
  parse_line(result, "", "values rtt default 3.5 1.5");
  parse_line(result, "", "paces rtt default 1000 1001 0 0 1004 2005.5");
  CHECK(result.fault.empty());
  CHECK(result.measured.at(0).paces ==
        std::vector<std::array<double, 2>>{{1000, 1001}, {0, 0}, {1004, 2005.5}});
  for (const char* wrong : {"paces rtt default 1 2 3", "paces rtt default 1 2 3 4 5",
                            "paces g default 1 2 3 4 5 6", "paces rtt default 1 2 3 4 5 x"}) {
    calib::launch bad = result;
    parse_line(bad, "", wrong);
    CHECK(bad.fault.starts_with("cannot read its paces of "));
  }
}

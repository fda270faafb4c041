// The lines by which a layer program tells what it measured.
#include <calib/driver/launch.hpp>

#include <doctest/doctest.h>

using calib::take_line;

TEST_CASE("values become a series with its median") {
  calib::launch heard;
  CHECK_FALSE(take_line(heard, "", "values rtt default 3.5 1.5 2.5"));
  REQUIRE(heard.measured.size() == 1);
  CHECK(heard.measured[0].probe == "rtt");
  CHECK(heard.measured[0].variant == "default");
  CHECK(heard.measured[0].samples == std::vector<double>{3.5, 1.5, 2.5});
  CHECK(heard.measured[0].warm_up == 0);
  CHECK(heard.measured[0].median == 2.5);
  CHECK(heard.fault.empty());
}

TEST_CASE("the median leaves warm-up out, the samples keep it") {
  calib::launch heard;
  std::string line = "values flood default 900 900 900 900 900";
  for (int i = 0; i < 20; ++i) line += " 10";
  take_line(heard, "", line);
  REQUIRE(heard.measured.size() == 1);
  CHECK(heard.measured[0].samples.size() == 25);
  CHECK(heard.measured[0].warm_up > 0);
  CHECK(heard.measured[0].median == 10);
}

TEST_CASE("the name of the way stands before the variant") {
  calib::launch heard;
  take_line(heard, "vader", "values flood window=64 130");
  CHECK(heard.measured.at(0).variant == "vader,window=64");
}

TEST_CASE("notes, CPUs, faults and the end") {
  calib::launch heard;
  CHECK_FALSE(take_line(heard, "", "note version Open MPI v4.1.4"));
  CHECK_FALSE(take_line(heard, "", "cpu 1 3"));
  CHECK_FALSE(take_line(heard, "", "begin rtt default"));
  CHECK(heard.notes.at("version") == "Open MPI v4.1.4");
  CHECK(heard.cpus.at(1) == 3);
  CHECK(heard.fault.empty());
  CHECK_FALSE(take_line(heard, "", "fault a message was lost in flood"));
  CHECK(heard.fault == "a message was lost in flood");
  CHECK(take_line(heard, "", "done"));
}

TEST_CASE("figures that cannot be read are a fault, other words are none") {
  calib::launch heard;
  CHECK_FALSE(take_line(heard, "", "A launcher may say what it likes"));
  CHECK_FALSE(take_line(heard, "", ""));
  CHECK(heard.fault.empty());
  take_line(heard, "", "values rtt default 1 2 x3");
  CHECK_FALSE(heard.fault.empty());
  calib::launch empty;
  take_line(empty, "", "values rtt default");
  CHECK_FALSE(empty.fault.empty());
}

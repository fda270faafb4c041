// The reader of profiles: what it takes, and what it refuses with one line.
#include "made_profiles.hpp"

#include <libam/profile/figures.hpp>
#include <libam/profile/json_reader.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace am::detail::profile;
using am_test::made_profile;
using am_test::value;

namespace {

std::string problem_of(const std::string& text) {
  document read;
  return read_document(text, "shm", read);
}

document good(const made_profile& from) {
  document read;
  REQUIRE(read_document(from.text(), "shm", read) == "");
  return read;
}

std::string json_problem(std::string_view text) {
  json_reader in(text);
  in.skip();
  in.end();
  return in.problem();
}

}  // namespace

TEST_CASE("a profile's few figures are read, and the rest is skipped") {
  const document read = good({});
  CHECK(read.complete);
  CHECK(read.fingerprint.starts_with("A processor; 4 cores; "));
  REQUIRE(read.costs.has_value());
  CHECK(read.costs->o_s == 20);
  CHECK(read.costs->g == 10);
  CHECK(read.costs->rtt == 200);
  CHECK(read.costs->wake_up == 27000);
  CHECK(read.costs->o_r == 30);
  REQUIRE(read.costs->mediums.size() == 2);
  CHECK(read.costs->mediums[1].bytes == 4096);
  CHECK(read.costs->mediums[1].o == 200);
  CHECK(read.costs->mediums[1].g == 260);
  CHECK(read.costs->mediums[1].T == 500);
}

TEST_CASE("what a profile has for libam comes first, and what follows is not looked at") {
  made_profile made;
  made.complete = "false";
  const std::string costs = R"({"other":0,"shm":{"logp":{"o_s":)" + value("1") + R"(,"g":)" +
                            value("2") + R"(,"rtt":)" + value("3") + R"(},"by_size":[]}})";
  made.before = R"("runtime":{"more":0,"complete":true,"transports":)" + costs + "},";
  const document read = good(made);
  CHECK(read.complete);
  CHECK(read.costs->o_s == 1);
  CHECK(read.costs->rtt == 3);
  const std::string whole = made.text();
  const std::size_t end = whole.find("},\"conditions\"") + 1;
  document first;
  CHECK(read_document(whole.substr(0, end) + "no JSON", "shm", first) == "");
  CHECK(first.costs->g == 2);
  for (std::size_t bytes = 0; bytes < end; ++bytes) CHECK(problem_of(whole.substr(0, bytes)) != "");
}

TEST_CASE("in front of the schema it does not end the reading") {
  const std::string early = R"({"runtime":{"complete":true},"schema":"am-profile/2"})";
  CHECK(problem_of(early).starts_with(R"("schema" is "am-profile/2", expected)"));
}

TEST_CASE("what was not measured is not known") {
  made_profile made;
  made.g = value("null");
  CHECK_FALSE(good(made).costs.has_value());
  made = {};
  made.transport = "tcp";
  CHECK_FALSE(good(made).costs.has_value());
  made = {};
  made.sizes = made_profile::size("medium", 64, "null", "40", "150");
  CHECK(good(made).costs->mediums.empty());
  made.sizes = made_profile::size("medium", 64, "30", "-5", "0");
  CHECK(good(made).costs->mediums.empty());
  for (const char* ns : {"null", "0", "-3"}) {
    made.wake_up = made.o_r = value(ns);
    CHECK_FALSE(good(made).costs->wake_up.has_value());
    CHECK_FALSE(good(made).costs->o_r.has_value());
  }
}

TEST_CASE("a measurement that was stopped, or on an unfit machine, is not complete") {
  made_profile made;
  made.complete = "false";
  CHECK_FALSE(good(made).complete);
  made = {};
  made.conditions = R"({"unfit":["others ran"]})";
  CHECK_FALSE(good(made).complete);
}

TEST_CASE("a profile that is none is refused with the reason") {
  made_profile made;
  made.schema = "am-profile/2";
  CHECK(problem_of(made.text())
            .starts_with(R"("schema" is "am-profile/2", expected "am-profile/1" at byte )"));
  made = {};
  made.o_s = value("20", "us");
  CHECK(problem_of(made.text()).starts_with("a time is not in ns at byte "));
  made.o_s = value("1e10");
  CHECK(problem_of(made.text()).starts_with("a message takes more than a second at byte "));
  made.o_s = value("1e999");
  CHECK(problem_of(made.text()).starts_with("a number is too large at byte "));
  made.o_s = R"({"unit":"ns"})";
  CHECK(problem_of(made.text()).starts_with("\"median\" is missing at byte "));
  made.o_s = R"("20")";
  CHECK(problem_of(made.text()).starts_with("'{' is missing at byte "));
  CHECK(problem_of("{}") == "\"schema\" is missing at byte 2");
  CHECK(problem_of("") == "'{' is missing at byte 0");
}

TEST_CASE("every part of a profile that ends early is refused") {
  const std::string whole = made_profile().text();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    CHECK(problem_of(whole.substr(0, bytes)) != "");
}

TEST_CASE("JSON is read strictly") {
  for (const char* text : {"0", "-0.5e+3", "[]", "{}", "[1,[2],{\"a\":null}]", " true ",
                           "\"\\u00e4\"", "\"\\/\\b\"", "\"\xc3\xa4\""})
    CHECK(json_problem(text) == "");
  for (const char* text :
       {"",          "01",     "1.",    ".5",      "+1",    "1e",         "-",  "nan",
        "[1,]",      "[,1]",   "[1 2]", "{\"a\"}", "{a:1}", "{\"a\":1,}", "\"", "\"\\x\"",
        "\"\\u12\"", "\"\n\"", "tru",   "nul",     "1 2",   "[1",         "]",  "{]"})
    CHECK(json_problem(text) != "");
  CHECK(json_problem(std::string("1\0", 2)) != "");
}

TEST_CASE("values that are nested too deeply are refused before the stack ends") {
  constexpr std::size_t many = 1000000;
  CHECK(json_problem(std::string(many, '[')).starts_with("values are nested more than 32 deep"));
  std::string objects;
  for (std::size_t i = 0; i < many; ++i) objects += "{\"\":";
  CHECK(json_problem(objects).starts_with("values are nested more than 32 deep"));
  CHECK(json_problem(std::string(32, '[') + std::string(32, ']')) == "");
}

// What is computed from dilated runs: by the tables of NISTIR 4630, and by made runs.
#include <libam/tools/am-trace/dilation.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace trace_dilation {
namespace {

using namespace am::detail::traces;

constexpr double seconds = 1e9;
constexpr std::size_t nodes = 16;

// A row of a table of the report.
struct reported {
  double factor, elapsed, user, logical, physical, overhead, longest;
  std::uint64_t delayed, messages, retries;
};

// Table A1: CM-Ring.
constexpr reported ring[] = {{1, 17.86, 3.05, 9.25, 0.86, 4.70, 0.0810, 8952, 35808, 482},
                             {2, 9.71, 3.05, 3.83, 0.43, 2.40, 0.1219, 15397, 35808, 242},
                             {4, 6.43, 2.90, 1.70, 0.22, 1.61, 0.2454, 16472, 35808, 58},
                             {6, 6.20, 2.89, 1.64, 0.14, 1.53, 0.3314, 16114, 35808, 63},
                             {8, 5.67, 2.84, 1.25, 0.11, 1.47, 0.3973, 16472, 35808, 39},
                             {10, 5.62, 2.84, 1.24, 0.09, 1.45, 0.4714, 16114, 35808, 47},
                             {12, 5.60, 2.82, 1.23, 0.07, 1.48, 0.5092, 15397, 35808, 41},
                             {14, 5.29, 2.79, 0.98, 0.06, 1.46, 0.6894, 15756, 35808, 37},
                             {16, 5.38, 2.81, 1.09, 0.05, 1.43, 1.0647, 16114, 35808, 41}};

dilated_run run_of(const reported& one) {
  const double by = one.factor * seconds;
  rank_states mean;
  mean.elapsed = one.elapsed * by;
  mean.user = one.user * by;
  mean.logical = one.logical * by;
  mean.physical = one.physical * by;
  mean.overhead = one.overhead * by;
  mean.longest = one.longest * seconds;
  mean.delayed = one.delayed;
  mean.messages = one.messages;
  mean.retries = one.retries;
  return {one.factor, nodes, mean};
}

dilation of_ring() {
  std::vector<dilated_run> runs;
  for (const reported& one : ring) runs.push_back(run_of(one));
  return analyse(runs);
}

// A program whose physical delay and overhead are divided by D, and whose other states are not: in
// virtual time a network D times as fast.
std::vector<dilated_run> ideal_runs() {
  std::vector<dilated_run> out;
  for (const double by : {1.0, 2.0, 5.0}) {
    rank_states mean;
    mean.user = 3000 * by;
    mean.logical = 800;
    mean.physical = 400;
    mean.overhead = 200;
    mean.elapsed = mean.user + mean.logical + mean.physical + mean.overhead;
    mean.messages = 10;
    mean.delayed = 4;
    out.push_back({by, 2, mean});
  }
  return out;
}

doctest::Approx near(double value) { return doctest::Approx(value).epsilon(0.003); }

}  // namespace

TEST_CASE("the report's table of CM-Ring, its speed-ups and its estimator") {
  const dilation all = of_ring();
  REQUIRE(all.rows.size() == std::size(ring));
  for (std::size_t i = 0; i < std::size(ring); ++i) {
    const dilation_row& row = all.rows[i];
    CHECK(row.elapsed == near(ring[i].elapsed * seconds));
    CHECK(row.user == near(ring[i].user * seconds));
    CHECK(row.logical == near(ring[i].logical * seconds));
    CHECK(row.physical == near(ring[i].physical * seconds));
    CHECK(row.overhead == near(ring[i].overhead * seconds));
    CHECK(row.longest == near(ring[i].longest * seconds));
    CHECK(row.messages == ring[i].messages);
    CHECK(row.retries == ring[i].retries);
  }
  CHECK(all.rows[0].speedup == 1);
  CHECK(all.rows[8].speedup == near(3.32));  // 232 % more
  CHECK(all.rows[0].delayed == near(0.25));
  CHECK(all.rows[0].mean_delay == near(0.0165 * seconds));
  CHECK(all.by_retries);
  CHECK(all.slope == near(0.024563 * seconds));  // equation 2
  CHECK(all.rest == near(1.5498 * seconds));
  const double estimates[] = {17.14, 10.81, 6.08, 6.13, 5.51, 5.67, 5.50, 5.40, 5.50};
  for (std::size_t i = 0; i < std::size(ring); ++i)
    CHECK(all.rows[i].estimate == doctest::Approx(estimates[i] * seconds).epsilon(0.01));
}

TEST_CASE("the report's identity: L_D is LM x messages / nodes x A_D") {
  for (const dilation_row& row : of_ring().rows)
    CHECK(row.logical == doctest::Approx(row.delayed * static_cast<double>(row.messages) /
                                         static_cast<double>(nodes) * row.mean_delay));
}

TEST_CASE("what the first step gains, by state") {
  const std::string text = dilation_text(of_ring(), {"ring", "run", 3});
  CHECK(text.starts_with("ring, within run\n\n"));
  CHECK(text.find(
            "A network 2 times as fast would make it 1.84 times as fast: of what that gains, "
            "67 % is\nlogical delay, 5 % physical delay, 28 % overhead, and 0 % computation.") !=
        text.npos);
  CHECK(text.find("goes with 19.0 of elapsed time") != text.npos);  // the report: 18.95
  CHECK(text.find("One 16 times as fast: 3.32 times.") != text.npos);
  CHECK(text.find("+ 24.5634 ms x retries + 1549.825 ms, within 11.") != text.npos);
}

TEST_CASE("in virtual time U is the same, the rest is divided by D, and the estimate is exact") {
  const dilation all = analyse(ideal_runs());
  CHECK(!all.by_retries);
  for (const dilation_row& row : all.rows) {
    CHECK(row.user == 3000);
    CHECK(row.physical == doctest::Approx(400 / row.factor));
    CHECK(row.elapsed == doctest::Approx(row.user + row.logical + row.physical + row.overhead));
    CHECK(row.mean_delay == doctest::Approx(800 * 2 / 4.0 / row.factor));
    CHECK(row.estimate == doctest::Approx(row.elapsed));
    CHECK(row.speedup == doctest::Approx(4400 / row.elapsed));
  }
}

TEST_CASE("one factor, and programs without messages or without delay") {
  const dilation one = analyse({ideal_runs().front()});
  CHECK(one.rows.size() == 1);
  CHECK(dilation_text(one, {"p", "", 1}).find("network") == std::string::npos);
  rank_states quiet;
  quiet.elapsed = quiet.user = 1000;
  rank_states quiet_twice = quiet;
  quiet_twice.elapsed = quiet_twice.user = 2000;
  const dilation none = analyse({{1, 1, quiet}, {2, 1, quiet_twice}});
  CHECK(none.rows[1].speedup == 1);
  CHECK(none.rows[0].mean_delay == 0);
  CHECK(none.rows[0].delayed == 0);
  const std::string text = dilation_text(none, {"p", "", 1});
  CHECK(text.find("A network 2 times as fast would make it 1.00 times as fast.\n") != text.npos);
}

TEST_CASE("one retry in one run explains nothing") {
  std::vector<dilated_run> runs = ideal_runs();
  runs[1].mean.retries = 1;
  const dilation all = analyse(runs);
  CHECK(!all.by_retries);
  CHECK(all.rows[0].estimate == doctest::Approx(4400));
}

TEST_CASE("as JSON") {
  const auto whole = nlohmann::json::parse(dilation_json(of_ring(), {"am-run ring", "", 3}));
  CHECK(whole["schema"] == "am-dilation/1");
  CHECK(whole["command"] == "am-run ring");
  CHECK(whole["within"].is_null());
  CHECK(whole["rounds"] == 3);
  CHECK(whole["rows"].size() == std::size(ring));
  CHECK(whole["rows"][1]["factor"] == 2);
  CHECK(whole["rows"][1]["messages"] == 35808);
  CHECK(whole["estimate"]["by"] == "retries");
}

}  // namespace trace_dilation

// Ranks on several hosts, whose clocks have offsets and drift: they come out on one time, or the
// trace says that they cannot.
#include "made_file.hpp"

#include <libam/tools/am-trace/job_trace.hpp>
#include <libam/tools/am-trace/merge.hpp>
#include <libam/tools/am-trace/pairing.hpp>
#include <libam/tools/am-trace/show.hpp>
#include <libam/tools/am-trace/states.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trace_hosts {
namespace {

using namespace trace_test;
using namespace am::detail::traces;

constexpr double ms = 1e6;
constexpr double s = 1e9;
constexpr bent_counter straight{};
constexpr bent_counter bent{5e15, 30e-6};
constexpr double beginning = 1 * ms;

enum class measured { never, first, both };

// Rank 1, on a host of its own, has spans at true times; rank 0 has compared nothing.
void make_pair(const folder& in, const bent_counter& counter, measured when, double length,
               const std::vector<double>& spans) {
  made_file first(0, 2, 1, straight), second(1, 2, 2, counter);
  if (when != measured::never) second.compare(1, beginning, straight);
  for (const double at : spans) {
    first.add(kind::span, at, at + 10);
    second.add(kind::span, at, at + 10);
  }
  if (when == measured::both) second.compare(2, length - beginning, straight);
  first.write(in, length);
  second.write(in, length);
}

// By how much the spans of the two ranks are apart, and no more than is said of them.
double most_apart(const folder& in) {
  job_trace all(in.path());
  std::vector<event> spans[2];
  all.each([&](const event& one) {
    if (one.type() == kind::span) spans[one.rank()].push_back(one);
  });
  REQUIRE(spans[0].size() == spans[1].size());
  double most = 0;
  for (std::size_t i = 0; i < spans[0].size(); ++i) {
    const double apart = std::abs(spans[1][i].begin - spans[0][i].begin);
    CHECK(apart <= message{spans[0][i], spans[1][i]}.bound() + 1);
    most = std::max(most, apart);
  }
  CHECK(most <= all.clock().bound() + 1);
  return most;
}

std::string refusal_of(const folder& in) {
  try {
    const job_trace all(in.path());
  } catch (const std::runtime_error& bad) {
    return bad.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a clock that was compared twice comes out straight between and outside") {
  for (const double drift : {0.0, 40e-6, -40e-6}) {
    const folder in;
    make_pair(in, {7e14, drift}, measured::both, 100 * s,
              {0, 2 * ms, 1 * s, 50 * s, 99 * s, 100 * s});
    CHECK(most_apart(in) < 5000);
    const job_trace all(in.path());
    CHECK(all.clock().bound() > 7000);  // half of a ping, and the wander of half of the time
    CHECK(all.clock().bound() < 12'000);
    REQUIRE(all.clock().lines().size() == 1);
    CHECK(all.clock().lines()[0].find("measured 2 times") != std::string::npos);
    CHECK(all.clock().lines()[0].find("clock of h2 (first rank 1) against rank 0") !=
          std::string::npos);
  }
}

TEST_CASE("a wide measurement between others leaves times as well known as they are without it") {
  const auto bound_with = [](double way, double back) {
    const folder in;
    made_file first(0, 2, 1, straight), second(1, 2, 2, bent);
    second.compare(1, beginning, straight);
    if (way + back > 0) {
      second.ask(2, 30 * s, way, back, straight);
      second.ask(3, 60 * s, way, back, straight);
    }
    second.compare(4, 90 * s, straight);
    for (const double at : {2 * ms, 29 * s, 31 * s, 45 * s, 60 * s, 70 * s, 90 * s}) {
      first.add(kind::span, at, at + 10);
      second.add(kind::span, at, at + 10);
    }
    first.write(in, 90 * s);
    second.write(in, 90 * s);
    CHECK(most_apart(in) < 10'000);
    return job_trace(in.path()).clock().bound();
  };
  const double without = bound_with(0, 0);
  CHECK(bound_with(1 * s, 5000) <= without);
  CHECK(bound_with(5000, 1 * s) <= without);
  CHECK(bound_with(5000, 5000) < without);
}

TEST_CASE("the bound of a job is that of its least known moment") {
  for (const bool wide_first : {false, true}) {
    const folder in;
    made_file first(0, 2, 1, straight), second(1, 2, 2, bent);
    // No other measurement says more of either.
    if (wide_first)
      second.ask(1, beginning, 200 * ms, 5000, straight);
    else
      second.compare(1, beginning, straight);
    second.ask(2, 5 * s, 5000, 200 * ms, straight);
    for (const double at : {2 * ms, 1 * s, 5 * s, 9 * s}) {
      first.add(kind::span, at, at + 10);
      second.add(kind::span, at, at + 10);
    }
    first.write(in, 10 * s);
    second.write(in, 10 * s);
    (void)most_apart(in);
  }
}

TEST_CASE("after one measurement a drift is assumed") {
  const folder in;
  make_pair(in, bent, measured::first, 10 * s, {2 * ms, 5 * s, 10 * s});
  CHECK(most_apart(in) > 200'000);
  const job_trace all(in.path());
  CHECK(all.clock().bound() > 500'000);
  CHECK(all.clock().bound() < 520'000);
  CHECK(all.clock().lines()[0].find("measured once") != std::string::npos);
}

TEST_CASE("ranks of one host have one clock, which one of them has compared") {
  const folder in;
  made_file first(0, 3, 1, straight), second(1, 3, 2, bent), third(2, 3, 2, bent);
  second.compare(1, beginning, straight);
  second.compare(2, 9 * s, straight);
  third.add(kind::request, 5 * s, 5 * s, 1);
  second.add(kind::on_request, 5 * s - 1, 5 * s, 2);  // of one host: it was before
  for (made_file* one : {&first, &second, &third}) {
    one->add(kind::span, 4 * s, 4 * s + 10);
    one->write(in, 10 * s);
  }
  job_trace all(in.path());
  std::vector<double> begins;
  all.each([&](const event& one) {
    if (one.type() == kind::span) begins.push_back(one.begin);
  });
  REQUIRE(begins.size() == 3);
  CHECK(std::ranges::max(begins) - std::ranges::min(begins) < 5000);
  CHECK(all.clock().lines().size() == 1);
  CHECK(whole_messages(all).remarks().size() == 1);
}

TEST_CASE("a message that came early by more than the bound is reported, and none within it") {
  const auto remarks_with = [](double flight) {
    const folder in;
    made_file first(0, 2, 1, straight), second(1, 2, 2, bent);
    second.compare(1, beginning, straight);
    first.add(kind::request, 1 * s, 1 * s, 1);
    second.add(kind::on_request, 1 * s + flight, 1 * s + flight + 10, 0);
    second.compare(2, 9 * s, straight);
    first.write(in, 10 * s);
    second.write(in, 10 * s);
    job_trace all(in.path());
    const double bound = all.clock().bound();
    CHECK(bound < 12'000);
    return whole_messages(all).remarks();
  };
  CHECK(remarks_with(2000).empty());
  CHECK(remarks_with(-2000).empty());
  CHECK(remarks_with(-25'000) ==
        std::vector<std::string>{"1 messages came before they were sent: the clocks of the ranks "
                                 "differ by more than is known of them"});
}

namespace {

// Rank 1's clock is set between its two measurements.
void make_contradiction(const folder& in) {
  made_file first(0, 2, 1, straight), second(1, 2, 2, bent);
  second.compare(1, beginning, straight);
  first.add(kind::request, 2 * ms, 2 * ms, 1);
  second.add(kind::on_request, 3 * ms, 3 * ms, 0);
  second.compare(2, 1 * s, {straight.origin + 2 * 300'000, 0});
  first.write(in, 2 * s);
  second.write(in, 2 * s);
}

std::string json_of(job_trace& all, const std::string& name) {
  text_file to(name);
  pairing messages;
  write_json(all, messages, to);
  to.close();
  return text_of_file(name);
}

}  // namespace

TEST_CASE("a clock that was set is said to be wrong, by any amount") {
  const folder in;
  make_contradiction(in);
  job_trace all(in.path());
  CHECK(all.clock().lines()[0] ==
        "clock of h2 (first rank 1) against rank 0: not known, its measurements contradict each "
        "other: one was set, or stood still");
  CHECK(std::isinf(all.clock().bound()));
  unsigned paired = 0;
  pairing messages;
  all.each([&](const event& one) {
    messages.add(one, [&](const message& whole) {
      CHECK(std::isinf(whole.bound()));
      ++paired;
    });
  });
  CHECK(paired == 1);
}

TEST_CASE("a bound that is not known is null in JSON") {
  const folder in;
  make_contradiction(in);
  job_trace all(in.path());
  const auto states = nlohmann::json::parse(states_json(states_of(all), all.clock().bound()));
  CHECK(states.at("clock_bound").is_null());
  const auto merged = nlohmann::json::parse(json_of(all, in.file("merged.json")));
  CHECK(merged.at("otherData").at("clock_bound_ns").is_null());
}

TEST_CASE("show says how well the clocks are known") {
  const folder in;
  make_pair(in, bent, measured::both, 10 * s, {1 * s});
  job_trace all(in.path());
  CHECK(summary_of(all, 5).find(all.clock().lines()[0]) != std::string::npos);
}

TEST_CASE("hosts that were not compared are refused") {
  const folder in;
  make_pair(in, bent, measured::never, 1 * s, {});
  CHECK(refusal_of(in) ==
        "the clock of h2 (rank 1) was not compared with that of rank 0: times of the two cannot be "
        "put together");
}

TEST_CASE("without the trace of the rank that others have compared with they are refused") {
  const folder in;
  made_file second(1, 3, 2, bent), third(2, 3, 3, straight);
  second.compare(1, beginning, straight);
  third.compare(1, beginning, straight);
  second.write(in, 1 * s);
  third.write(in, 1 * s);
  CHECK(refusal_of(in) == in.path() +
                              " has no trace of rank 0, with whose clock other hosts have compared "
                              "theirs");
}

TEST_CASE("a file of an earlier format is refused by one line") {
  const folder in;
  made_file old(0, 1, 1, straight);
  old.head().magic = 0x3145434152544d41;
  old.write(in, 1 * s);
  try {
    const trace_file read(in.file("rank-0.amtrace"));
    FAIL("it was read");
  } catch (const std::runtime_error& bad) {
    CHECK(std::string(bad.what()) == in.file("rank-0.amtrace") +
                                         " is a trace of format 1, and this am-trace reads 3: use "
                                         "that of the libam that wrote it");
  }
}

}  // namespace trace_hosts

// The arithmetic of the global clock, on clocks that are known.
#include <am/detail/clock_model.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace clock_model_test {
namespace {

using am::clock_line;
using am::detail::clock_model;
using am::detail::interval;
using am::detail::max_clock_drift;
using am::detail::max_clock_wander;
using am::detail::offset_window;

constexpr double us = 1e3;
constexpr double second = 1e9;

// A clock that shows shown(global), compared with the true one by pings of random ways.
struct simulated {
  double offset = 0;
  double drift = 0;
  double shortest_way = 2 * us;
  double longest_way = 50 * us;
  std::mt19937 random{1};

  [[nodiscard]] double shown(double global) const { return global * (1 + drift) + offset; }

  // Of pings that begin at `at`, of which no one comes back faster than twice the shortest way. The
  // teacher is wrong by at most `error`.
  offset_window measure(double at, int pings = 20, double error = 0) {
    std::uniform_real_distribution<double> way(shortest_way, longest_way);
    std::uniform_real_distribution<double> wrong(-error, error);
    offset_window window(max_clock_drift + max_clock_wander);
    for (int i = 0; i < pings; ++i) {
      const double there = at + way(random);
      const double back = there + way(random);
      window.add(shown(at), shown(back), interval::around(there + wrong(random), error));
      at = back;
    }
    return window;
  }
  // The error of what the model says at a global time, and its bound.
  [[nodiscard]] double error(const clock_model& model, double global) const {
    return std::abs(model.line().at(shown(global)) - global);
  }
  [[nodiscard]] double bound(const clock_model& model, double global) const {
    return model.offset_at(shown(global)).half();
  }
};

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-3; }

TEST_CASE("two lines in one are one after the other") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> slope(-50e-6, 50e-6);
  std::uniform_real_distribution<double> intercept(-1e6, 1e6);
  for (int i = 0; i < 1000; ++i) {
    const clock_line first{slope(random), intercept(random)};
    const clock_line next{slope(random), intercept(random)};
    const clock_line both = first.then(next);
    for (const double t : {0.0, -1e9, 1e9, 3.6e12})
      CHECK(is_near(both.at(t), next.at(first.at(t))));
  }
}

TEST_CASE("the line of a model says what its windows say") {
  simulated clock{1e6, 30e-6};
  clock_model model(clock.measure(0));
  model.refresh(clock.measure(10 * second));
  for (const double at : {-5.0, 0.0, 10.0, 60.0}) {
    const double shown = clock.shown(at * second);
    CHECK(is_near(model.line().at(shown), model.global_at(shown).middle()));
  }
}

TEST_CASE("a window holds the offset, and is no wider than the fastest ways there and back") {
  simulated clock{-4e6, 50e-6};
  const offset_window window = clock.measure(0, 1000);
  const double true_offset = window.moment() - (window.moment() - clock.offset) / (1 + clock.drift);
  CHECK(window.offset().holds(true_offset));
  const double aged = 2 * max_clock_drift * 1000 * 2 * clock.longest_way;
  CHECK(window.offset().half() < 2 * clock.shortest_way + aged);
}

TEST_CASE("no ping, no bound") {
  const offset_window window(max_clock_drift);
  CHECK(!window.offset().is_bounded());
  CHECK(window.offset().holds(1e300));
}

TEST_CASE("a clock that is set between two pings begins a new window") {
  simulated clock;
  offset_window window(max_clock_drift);
  window.add(0, 10 * us, interval::around(5 * us, 0));
  window.add(second + 20 * us, second + 30 * us, interval::around(25 * us, 0));
  CHECK(window.offset().holds(second));
}

TEST_CASE("a clock that is set back during a ping gives no window by that ping") {
  simulated clock;
  offset_window window = clock.measure(0);
  const interval found = window.offset();
  window.add(second, second / 2, interval::around(second, 0));
  CHECK(window.offset().low == found.low);
  CHECK(window.offset().high == found.high);
}

TEST_CASE(
    "no error exceeds the bound, before and after what was measured, with errors of teachers") {
  for (const double drift : {-50e-6, -1e-6, 0.0, 20e-6, 50e-6}) {
    for (const double error : {0.0, 10 * us}) {
      simulated clock{2.5e9, drift / (1 - drift)};
      clock_model model(clock.measure(0, 20, error));
      for (int i = 0; i < 15; ++i) {
        const double at = 7 * second * i;
        for (const double age : {-3.0, 0.0, 0.5, 60.0})
          CHECK(clock.error(model, at + age * second) <= clock.bound(model, at + age * second));
        model.refresh(clock.measure(at + second, 20, error));
        REQUIRE(model.steps() == 0);
        CHECK(std::abs(model.line().slope - drift) <= model.drift().half() + 1e-12);
      }
    }
  }
}

// Another drift from this global time on.
void set_drift(simulated& clock, double drift, double from) {
  const double shown = clock.shown(from);
  clock.drift = drift;
  clock.offset += shown - clock.shown(from);
}

TEST_CASE("a drift that wanders as far as it may stays within the bound") {
  simulated clock{0, 10e-6, 1, 2};  // so fast that the wandering alone counts
  clock_model model(clock.measure(0));
  for (int i = 1; i < 50; ++i) {
    const double at = 100 * second * i;
    set_drift(clock, 10e-6 + (i % 3 == 0 ? -0.99 : 0.99) * max_clock_wander, at);
    model.refresh(clock.measure(at));
    REQUIRE(model.steps() == 0);
    CHECK(clock.error(model, at + 90 * second) <= clock.bound(model, at + 90 * second));
  }
}

TEST_CASE("a drift that wanders further is found, though each refresh sees little of it") {
  simulated clock{0, 10e-6, 3 * us, 3 * us};  // all windows are as wide, so the last one counts
  clock_model model(clock.measure(0));
  for (int i = 1; i < 100; ++i) model.refresh(clock.measure(i * second));
  CHECK(model.steps() == 0);
  set_drift(clock, 12e-6, 100 * second);  // 2 us in a second, less than a window's width
  for (int i = 100; i < 300; ++i) {
    model.refresh(clock.measure(i * second));
    REQUIRE(!model.drift().is_empty());
  }
  CHECK(model.steps() > 0);
}

TEST_CASE("the bound grows by the assumed drift, and after a refresh by what the windows leave") {
  simulated clock{1e6, 30e-6};
  clock_model model(clock.measure(0));
  CHECK(clock.bound(model, 60 * second) > 60 * second * max_clock_drift);
  model.refresh(clock.measure(100 * second));
  const double width = 4 * clock.shortest_way + 100 * us;  // of both windows
  CHECK(model.drift().half() < width / (100 * second) + max_clock_wander);
  CHECK(clock.bound(model, 101 * second) < width);
}

TEST_CASE("a wide window later than a narrow one keeps the narrow one's bound") {
  simulated clock;
  clock_model model(clock.measure(0));
  clock.shortest_way = 10e6;
  clock.longest_way = 20e6;
  model.refresh(clock.measure(second));
  CHECK(clock.bound(model, second) < 60 * us);
}

TEST_CASE("a step is found, and the clock learnt anew") {
  for (const double step : {-1e9, -1e6, 1e6, 3600e9}) {
    simulated clock{0, 10e-6};
    clock_model model(clock.measure(0));
    model.refresh(clock.measure(second));
    clock.offset += step;
    model.refresh(clock.measure(2 * second));
    CHECK(model.steps() == 1);
    CHECK(clock.error(model, 3 * second) <= clock.bound(model, 3 * second));
    model.refresh(clock.measure(4 * second));
    CHECK(model.steps() == 1);
  }
}

TEST_CASE("a drift beyond what is assumed is found as a step") {
  simulated clock{0, 80e-6};
  clock_model model(clock.measure(0));
  model.refresh(clock.measure(10 * second));
  CHECK(model.steps() == 1);
}

TEST_CASE("the clock of rank 0 has no error, for ever") {
  const clock_model model;
  CHECK(model.line().at(1e15) == 1e15);
  CHECK(model.offset_at(1e15).half() == 0);
}

}  // namespace
}  // namespace clock_model_test

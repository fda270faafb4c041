// What is stretched, and by how much, by clocks that the test turns.
#include <libam/dilate/computation.hpp>

#include <doctest/doctest.h>

#include <utility>

namespace dilate_test {
namespace {

using am::detail::dilate::ns;

// Every reading takes a nanosecond of the thread's time.
struct made_clocks {
  static inline ns time = 0;
  static inline ns absent = 0;
  static inline pthread_t running{};
  static inline ns lost_at = 0;  // the thread loses its processor then, for `lost`
  static inline ns lost = 0;

  static ns now() noexcept {
    ++time;
    if (lost != 0 && time >= lost_at) take_away(std::exchange(lost, 0));
    return time;
  }
  static ns thread_time() noexcept { return ++time - absent; }
  static pthread_t thread() noexcept { return running; }
  static void take_away(ns for_so_long) noexcept {
    time += for_so_long;
    absent += for_so_long;
  }
};

using computation = am::detail::dilate::computation_by<made_clocks>;
constexpr ns few = 10;  // readings
constexpr ns long_stretch = am::detail::dilate::stretch_timer<made_clocks>::long_stretch;

void work(ns time) { made_clocks::time += time; }

// How long the thread spins in it.
template <class Step>
ns spin_in(Step&& step) {
  const ns before = made_clocks::time - made_clocks::absent;
  step();
  return made_clocks::time - made_clocks::absent - before;
}
// When the program calls.
ns spin_of(computation& of) {
  return spin_in([&] { of.enter_library(); });
}
bool near(ns spin, ns expected) { return spin >= expected && spin <= expected + few; }

}  // namespace

TEST_CASE("what lies between two calls takes as many times as long as the factor says") {
  for (const double factor : {1.0, 1.5, 2.0, 16.0}) {
    computation of(factor);
    for (const ns time : {0L, 100L, 99'000L, 101'000L, 50'000'000L}) {
      of.leave_library();
      work(time);
      CHECK(near(spin_of(of), static_cast<ns>((factor - 1) * static_cast<double>(time))));
    }
  }
}

TEST_CASE("what the library does is not stretched, and calls may lie in each other") {
  computation of(4);
  work(1000);  // in the join
  CHECK(near(spin_of(of), 0));
  of.leave_library();
  work(1000);
  of.leave_library();
  CHECK(near(spin_of(of), 0));
  work(1000);
  CHECK(near(spin_of(of), 0));
  of.leave_library();
  work(1000);
  CHECK(near(spin_of(of), 0));
  of.leave_library();
  of.leave_library();
  work(1000);
  CHECK(near(spin_of(of), 3000));
}

TEST_CASE("time without a processor is not stretched, and a spin that loses it goes on behind") {
  computation of(2);
  of.leave_library();
  work(500'000);
  made_clocks::take_away(3'000'000);
  CHECK(near(spin_of(of), 500'000));

  of.leave_library();
  work(500'000);
  made_clocks::lost_at = made_clocks::time + 200'000;
  made_clocks::lost = 7'000'000;
  CHECK(near(spin_of(of), 500'000));
  CHECK(made_clocks::lost == 0);
}

TEST_CASE("a sleep in the library does not count as a loss in the stretch behind it") {
  computation of(2);
  of.leave_library();
  of.enter_library();
  made_clocks::take_away(3'000'000);
  of.leave_library();
  work(500'000);
  CHECK(near(spin_of(of), 500'000));
}

TEST_CASE("many short sleeps do not count as a loss in the stretch behind them") {
  for (const ns time : {long_stretch - 10'000, 50 * long_stretch}) {
    computation of(16);
    for (int i = 0; i < 100; ++i) {
      of.leave_library();
      of.enter_library();
      made_clocks::take_away(long_stretch - 10'000);
    }
    of.leave_library();
    work(time);
    CHECK(near(spin_of(of), 15 * time));
  }
}

TEST_CASE("between the polls of a call that waits nothing is stretched but handlers") {
  computation of(3);
  of.leave_library();
  work(100);
  CHECK(near(spin_of(of), 200));  // it waits
  of.enter_library();
  of.leave_library();  // a poll has ended
  work(1000);
  CHECK(near(spin_of(of), 0));  // another one
  const unsigned state = of.begin_handler();
  work(50);
  CHECK(near(spin_of(of), 100));  // it answers
  work(1000);
  of.leave_library();
  work(70);
  CHECK(near(spin_in([&] { of.end_handler(state); }), 140));
  work(1000);
  of.leave_library();
  work(1000);
  CHECK(near(spin_in([&] { of.leave_library(); }), 0));
  work(1000);
  CHECK(near(spin_of(of), 2000));
}

TEST_CASE("a handler outside of a call interrupts the program") {
  computation of(2);
  of.leave_library();
  work(100);
  unsigned state = 0;
  CHECK(near(spin_in([&] { state = of.begin_handler(); }), 100));
  work(30);
  CHECK(near(spin_in([&] { of.end_handler(state); }), 30));
  work(10);
  CHECK(near(spin_of(of), 10));
}

TEST_CASE("the total is what was computed, stretched, also in the middle of it") {
  computation of(3);
  CHECK(of.total() == 0);
  of.leave_library();
  work(1000);
  ns total = of.total();
  CHECK((total >= 3000 && total <= 3000 + 3 * few));
  work(500);
  of.enter_library();
  work(700);
  total = of.total();
  CHECK((total >= 4500 && total <= 4500 + 3 * few));
  CHECK(of.total() == total);
}

TEST_CASE("an endpoint that another thread has got begins anew") {
  computation of(2);
  of.leave_library();
  work(1000);
  made_clocks::running = pthread_t{} + 1;
  CHECK(near(spin_of(of), 0));
  made_clocks::absent += 12'345'678;  // its own clock
  of.leave_library();
  work(2 * long_stretch);
  CHECK(near(spin_of(of), 2 * long_stretch));
  made_clocks::running = pthread_t{};
}

}  // namespace dilate_test

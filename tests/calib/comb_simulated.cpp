// COMB over simulated layers whose offload and overhead are known: the experiments and what is made
// of them, together, in virtual time.
#include <calib/driver/comb/comb_result.hpp>
#include <calib/program/comb.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "simulated/calibrate.hpp"
#include "simulated/comb_library.hpp"

namespace {

using simulated::comb_library;
using simulated::comb_parameters;

constexpr std::uint64_t queue_depth = 4;
constexpr std::uint64_t message_bytes = 100'000;  // 10 us in each direction
constexpr std::size_t no_eager = 0;
constexpr std::size_t all_eager = message_bytes;

// The processor moves everything, within calls of the library.
comb_parameters polling_transport(std::size_t eager) {
  comb_parameters out{queue_depth};
  out.eager = eager;
  return out;
}
// A card moves everything, as soon as it is posted.
comb_parameters offloading() {
  comb_parameters out{queue_depth};
  out.begins_alone = out.moves_alone = true;
  return out;
}
// The same for messages of up to `eager` bytes; others wait for a call of the library.
comb_parameters card_that_waits(std::size_t eager) {
  comb_parameters out{queue_depth};
  out.moves_alone = true;
  out.eager = eager;
  return out;
}

calib::comb_layer measured(const comb_parameters& real) {
  comb_library library(real);
  const simulated::processor_in<comb_library> cpu(library);
  simulated::recorder recorded;
  calib::comb_options opts;
  opts.samples = 1;
  opts.sample_us = 2000;
  opts.bytes = {message_bytes};
  opts.depths = {queue_depth};
  opts.intervals = {10,     100,    1000,    5000,    10'000,    20'000,
                    40'000, 80'000, 160'000, 320'000, 1'000'000, 10'000'000};
  opts.works = {1000, 5000, 10'000, 20'000, 30'000, 40'000, 50'000, 100'000, 200'000, 1'000'000};
  opts.with_test = true;
  calib::measure_comb(library, cpu, recorded, opts);
  recorded.launch.layer = {"am-shm", "shm"};
  calib::comb_result from;
  // Virtual time repeats itself, so every round has the same figures: six have an interval.
  for (unsigned round = 1; round <= 6; ++round) {
    recorded.launch.round = round;
    from.launches.push_back(recorded.launch);
  }
  calib::analyse(from);
  REQUIRE(from.failed.empty());
  REQUIRE(from.layers.size() == 1);
  return std::move(from.layers.front());
}

const calib::pww_curve& pww_of(const calib::comb_layer& in, const std::string& method = "pww") {
  return *std::ranges::find_if(in.pww, [&](const auto& one) { return one.of.method == method; });
}

bool says(const std::string& verdict, const std::string& words) {
  return verdict.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("post-work-wait: data that moves only within calls shows no offload") {
  for (const std::size_t eager : {no_eager, all_eager}) {
    CAPTURE(eager);
    const calib::comb_layer layer = measured(polling_transport(eager));
    const calib::pww_curve& pww = pww_of(layer);
    REQUIRE(pww.points.size() == 11);
    for (const calib::pww_point& one : pww.points) {
      CAPTURE(one.iterations);
      // It copies 4 messages in, and 4 out, here or as they are posted.
      CHECK(one.wait.median == doctest::Approx(eager == no_eager ? 80e3 : 40e3).epsilon(0.02));
      CHECK(one.worked.median == doctest::Approx(one.dry.median));
    }
    CHECK(pww.hidden.value().median == doctest::Approx(0).epsilon(0.02));
    CHECK(pww.slope.value().median == doctest::Approx(0).epsilon(0.02));
    CHECK(pww.merit.median <= 0.5);
    CHECK(says(calib::verdict_of(pww), "no offload: the wait does not depend on the work"));
    CHECK(says(calib::verdict_of(pww), "no overhead in the work"));
    // The test copies what the wait would copy.
    CHECK(says(calib::verdict_of(pww_of(layer, "pww-test")), "no offload"));
  }
}

TEST_CASE("post-work-wait: the wait of a layer that offloads falls with slope -1 until it is 0") {
  const calib::comb_layer layer = measured(offloading());
  const calib::pww_curve& pww = pww_of(layer);
  const double alone = pww.points.front().wait.median;
  CHECK(alone == doctest::Approx(40e3).epsilon(0.03));
  for (const calib::pww_point& one : pww.points) {
    CAPTURE(one.iterations);
    const double rest = std::max(alone - one.dry.median, 0.0);
    CHECK(std::abs(one.wait.median - rest) < 200);  // ns, of the calls
    CHECK(one.worked.median == doctest::Approx(one.dry.median));
  }
  CHECK(pww.slope.value().median == doctest::Approx(-1).epsilon(0.01));
  CHECK(pww.hidden.value().median > 0.99);
  CHECK(says(calib::verdict_of(pww), ": offload: 100 % of the wait"));
  CHECK(says(calib::verdict_of(pww), "(slope -1.00); no overhead in the work"));
}

TEST_CASE("post-work-wait: a card that waits for a call offloads up to the eager size") {
  CHECK(pww_of(measured(card_that_waits(all_eager))).hidden.value().median > 0.99);
  const calib::comb_layer layer = measured(card_that_waits(no_eager));
  CHECK(pww_of(layer).hidden.value().median == doctest::Approx(0).epsilon(0.02));
  // One test inside the work begins what then moves beside the other half of it.
  const calib::pww_curve& with_test = pww_of(layer, "pww-test");
  CHECK(with_test.hidden.value().median > 0.99);
  CHECK(says(calib::verdict_of(with_test), ": offload"));
}

TEST_CASE("post-work-wait: what messages take from the work is seen as it is") {
  comb_parameters real = offloading();
  real.interrupt = 300;
  const calib::pww_curve pww = pww_of(measured(real));
  CHECK(pww.points[pww.loaded].overhead.median == doctest::Approx(8 * 300));
  for (const calib::pww_point& one : pww.points)
    if (one.dry.median >= 50e3)
      CHECK(one.worked.median - one.dry.median == doctest::Approx(8 * 300));
  CHECK(says(calib::verdict_of(pww), "; 50.0 us of work take 2.40 us more (5 %)"));
}

TEST_CASE("the figure of merit is 1 for an ideal layer, and at most 0.5 for one that blocks") {
  comb_parameters ideal = offloading();
  ideal.post = ideal.poll = 1;
  ideal.L = 0;
  const calib::comb_layer best = measured(ideal);
  CHECK(best.polling.front().merit.median > 0.99);
  CHECK(pww_of(best).merit.median > 0.99);
  for (const std::size_t eager : {no_eager, all_eager}) {
    const calib::comb_layer blocking = measured(polling_transport(eager));
    CHECK(blocking.polling.front().merit.median <= 0.5);
    CHECK(blocking.polling.front().merit.median > 0.4);
    CHECK(says(calib::verdict_of(blocking.polling.front(), 1),
               "no knee: each is had at the cost of the other"));
  }
}

TEST_CASE("a message that is lost is reported by both methods, in whatever batch it was") {
  for (const bool polls : {false, true}) {
    CAPTURE(polls);
    for (const std::uint64_t lost : {~std::uint64_t{0}, std::uint64_t{30}}) {
      comb_parameters real = offloading();
      real.lost = lost;
      comb_library library(real);
      const simulated::processor_in<comb_library> cpu(library);
      simulated::recorder recorded;
      calib::comb_options opts;
      opts.bytes = {message_bytes};
      opts.depths = {queue_depth};
      (polls ? opts.intervals : opts.works) = {1000};
      calib::measure_comb(library, cpu, recorded, opts);
      REQUIRE(recorded.losses.empty() == (lost != 30));
      if (lost == 30)
        CHECK(recorded.losses.front() == (polls ? "polling/100000/4/0" : "pww/100000/4/0"));
    }
  }
}

TEST_CASE("polling: the knee is the longest interval in which messages do not run out") {
  const calib::comb_layer layer = measured(offloading());
  const calib::polling_curve& polling = layer.polling.front();
  CHECK(polling.points.front().bandwidth.median == doctest::Approx(20).epsilon(0.02));  // GB/s
  CHECK(polling.points.front().availability.median == 0);
  REQUIRE(polling.knee);
  // Eight messages take 80 us in each direction, so after 80 us the last answers are not back yet.
  CHECK(polling.knee->iterations == 40'000);
  CHECK(polling.knee->share > 0.95);
  CHECK(polling.knee->availability > 0.95);
  // Beyond it each interval has the messages of one queue in each direction.
  for (const calib::polling_point& one : polling.points)
    if (one.iterations >= 160'000)
      CHECK(one.bandwidth.median ==
            doctest::Approx(2.0 * 8 * message_bytes / one.piece.median).epsilon(0.01));
  CHECK(says(calib::verdict_of(polling, 1), "knee at 40000 iterations (40.0 us)"));
}

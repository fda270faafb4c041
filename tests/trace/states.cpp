// The states of ranks whose events are known.
#include "made.hpp"

#include <libam/tools/am-trace/states.hpp>

#include <nlohmann/json.hpp>

#include <libam/base/format.hpp>

#include <array>
#include <cmath>

namespace trace_states {
namespace {

using namespace trace_test;
using namespace am::detail::traces;
using am::detail::trace::name_of;

// Long beside the pause that each trace begins with.
constexpr std::uint64_t unit = 100'000'000;  // ticks

class two_ranks {
 public:
  two_ranks() {
    for (am_rank rank = 0; rank < 2; ++rank) {
      begin(ranks_[rank], in_, rank, 2);
      ranks_[rank].name_handler(0, "of_program");
      ranks_[rank].name_handler(1, "am.barrier");
      ranks_[rank].name_handler(2, "am.clock_pong");
      (void)ranks_[rank].number_of(name_of::call, "wait");
      (void)ranks_[rank].number_of(name_of::call, "a request");
      (void)ranks_[rank].number_of(name_of::span, "whole");
      (void)ranks_[rank].number_of(name_of::span, "part");
    }
    start_ = ranks_[0].now();
  }
  // Times in units.
  void add(am_rank rank, kind what, double from, double to, std::uint32_t number = 0,
           std::uint32_t sequence = 0) {
    ranks_[rank].add({what, at(from), 1 - rank, number, 0, sequence}, at(to));
  }
  void add_computed(double when, std::uint64_t ns) {
    ranks_[0].add({kind::computed, at(when), 0, 0, ns & ~std::uint32_t{0},
                   static_cast<std::uint32_t>(ns >> 32U)},
                  at(when));
  }
  [[nodiscard]] std::vector<rank_states> states(const std::string& within = {}) {
    // The rate is known from the time between these.
    for (writer& one : ranks_) end(one);
    job_trace from(in_.path());
    std::vector<rank_states> out = states_of(from, within);
    from.each([&](const event& one) {
      if (one.type() == kind::span && subject_of(one) == "whole")
        unit_ns_ = (one.end - one.begin) / 10;
    });
    return out;
  }
  // In units.
  [[nodiscard]] doctest::Approx near(double units) const {
    return doctest::Approx(units * unit_ns_).epsilon(0.01).scale(unit_ns_);
  }

 private:
  [[nodiscard]] std::uint64_t at(double units) const {
    return start_ + static_cast<std::uint64_t>(units * static_cast<double>(unit));
  }

  folder in_;
  std::array<writer, 2> ranks_;
  std::uint64_t start_ = 0;
  double unit_ns_ = 0;
};

}  // namespace

TEST_CASE("a wait is a logical delay until the message is sent, then a physical one") {
  two_ranks job;
  job.add(1, kind::request, 4, 4);
  job.add(0, kind::on_request, 6, 6.5);
  job.add(0, kind::wait, 1, 7);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].elapsed == job.near(10));
  CHECK(all[0].logical == job.near(3));
  CHECK(all[0].physical == job.near(2));
  CHECK(all[0].user == job.near(4.5));
  CHECK(all[0].overhead == job.near(0.5));
  CHECK(all[0].longest == job.near(3));
  CHECK(all[0].messages == 1);
  CHECK(all[0].delayed == 1);
}

TEST_CASE("within a span nothing counts that is outside, and of what is half in, that half") {
  two_ranks job;
  job.add(1, kind::request, 1, 1, 0, 0);
  job.add(0, kind::on_request, 2, 2, 0, 0);
  job.add(0, kind::wait, 0.5, 2);  // before the span
  job.add(0, kind::span, 3, 4, 1);
  job.add(1, kind::request, 5, 5, 0, 1);
  job.add(0, kind::on_request, 6, 6.5, 0, 1);
  job.add(0, kind::wait, 4, 7);  // between two of that name
  job.add(0, kind::span, 7, 8, 1);
  job.add(0, kind::on_end, 7.5, 8.5, 1);  // half in
  job.add(0, kind::span, 0, 10);
  const auto all = job.states("part");
  CHECK(all[0].elapsed == job.near(5));
  CHECK(all[0].logical == job.near(1));
  CHECK(all[0].physical == job.near(1));
  CHECK(all[0].user == job.near(2));  // 3 to 4, 6 to 6.5, 7 to 7.5
  CHECK(all[0].overhead == job.near(1));
  CHECK(all[0].messages == 1);
  CHECK(all[1].elapsed == 0);
  CHECK(ranks_with_time(all) == 1);
  CHECK(mean_of(all).elapsed == all[0].elapsed);
  // A mean over the one rank and its one message.
  const auto us = static_cast<unsigned long>(std::lround(all[0].logical / 10));
  CHECK(states_text(all).find(am::detail::base::format("for {}.{:02} us", us / 100, us % 100)) !=
        std::string::npos);
}

TEST_CASE("what AM_DILATE has measured is computation, whatever else the trace says") {
  for (const std::string within : {"", "part"}) {
    two_ranks job;
    job.add_computed(0, 5'000'000'000);
    job.add(0, kind::on_end, 1, 2, 0);
    job.add_computed(3, 5'001'000'000);
    job.add(0, kind::wait, 4, 5);
    job.add_computed(8, 5'004'000'000);
    job.add(0, kind::span, 2.5, 8.5, 1);
    job.add_computed(10, 5'004'500'000);
    job.add(0, kind::span, 0, 10);
    const rank_states of = job.states(within)[0];
    CHECK(of.elapsed == job.near(within.empty() ? 10 : 6));
    CHECK(of.user == (within.empty() ? 4'500'000 : 3'000'000));
    CHECK(of.overhead == of.elapsed - of.user);
  }
}

TEST_CASE("within a span that no rank has") {
  two_ranks job;
  job.add(0, kind::span, 0, 10);
  CHECK_THROWS_WITH((void)job.states("other"), "there is no span other: the trace has whole");
}

TEST_CASE("a message that was sent before the wait is no logical delay") {
  two_ranks job;
  job.add(1, kind::request, 1, 1);
  job.add(0, kind::on_request, 5, 5);
  job.add(0, kind::wait, 3, 5);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].logical == job.near(0));
  CHECK(all[0].physical == job.near(2));
  CHECK(all[0].delayed == 0);
}

TEST_CASE("a wait was for the last message that came in it, also through a wait in it") {
  two_ranks job;
  for (std::uint32_t i = 0; i < 3; ++i) job.add(1, kind::request, 2 + i, 2 + i, 0, i);
  job.add(0, kind::on_request, 2.5, 2.5, 0, 0);
  job.add(0, kind::on_request, 3.5, 3.5, 0, 1);
  job.add(0, kind::wait, 3, 3.6);
  job.add(0, kind::on_request, 4.5, 4.5, 0, 2);
  job.add(0, kind::wait, 1, 5);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].logical == job.near(3));
  CHECK(all[0].physical == job.near(0.5));
  CHECK(all[0].user == job.near(6));
  CHECK(all[0].delayed == 1);
}

TEST_CASE("a wait was for no answer to a ping of the clocks") {
  two_ranks job;
  job.add(1, kind::request, 2, 2);
  job.add(0, kind::on_request, 3, 3);
  job.add(1, kind::answer, 6, 6, 2);
  job.add(0, kind::on_answer, 6.5, 6.5, 2);
  job.add(0, kind::wait, 1, 7);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].logical == job.near(1));
  CHECK(all[0].physical == job.near(1));
}

TEST_CASE("handlers that run in a wait are computation, no delay") {
  two_ranks job;
  job.add(1, kind::request, 1, 1, 0, 0);
  job.add(0, kind::on_request, 2, 4, 0, 0);
  job.add(1, kind::request, 5, 5, 0, 1);
  job.add(1, kind::request, 5, 5, 0, 2);
  job.add(0, kind::on_request, 6, 7, 0, 1);
  job.add(0, kind::on_request, 7, 8, 0, 2);
  job.add(0, kind::wait, 0, 8);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].logical == job.near(3));
  CHECK(all[0].physical == job.near(1));
  CHECK(all[0].user == job.near(6));
  CHECK(all[0].overhead == job.near(0));
}

TEST_CASE("what libam does itself is overhead, in waits and outside") {
  two_ranks job;
  job.add(0, kind::on_end, 1, 2, 1);
  job.add(0, kind::on_end, 2, 3, 0);
  job.add(0, kind::on_end, 5, 6, 1);
  job.add(0, kind::on_end, 6, 7, 0);
  job.add(0, kind::wait, 4, 8, 1);  // a request
  job.add(0, kind::request, 8, 9);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].user == job.near(5));  // 0 to 1, 2 to 3, 3 to 4, 6 to 7, 9 to 10
  CHECK(all[0].overhead == job.near(5));
  CHECK(all[0].retries == 1);
}

TEST_CASE("a handler that a message of libam's carries computes, inside and outside of waits") {
  two_ranks job;
  for (const double from : {1.0, 5.0}) {
    job.add(0, kind::carried, from + 1, from + 2, 0);
    job.add(0, kind::on_end, from, from + 3, 1);
  }
  job.add(0, kind::wait, 4, 9);
  job.add(0, kind::span, 0, 10);
  const auto all = job.states();
  CHECK(all[0].user == job.near(4));  // 0 to 1, 2 to 3, 6 to 7, 9 to 10
  CHECK(all[0].overhead == job.near(6));
}

TEST_CASE("the states are the elapsed time, and their mean is over ranks with a trace") {
  two_ranks job;
  job.add(1, kind::request, 4, 4);
  job.add(0, kind::on_request, 6, 6.5);
  job.add(0, kind::wait, 1, 7);
  job.add(0, kind::span, 0, 10);
  job.add(1, kind::span, 0, 10);
  const auto all = job.states();
  const rank_states mean = mean_of(all);
  for (const rank_states& one : {all[0], all[1], mean})
    CHECK(one.user + one.logical + one.physical + one.overhead == doctest::Approx(one.elapsed));
  CHECK(mean.logical == job.near(1.5));
  const auto whole = nlohmann::json::parse(states_json(all, 0));
  CHECK(whole.at("ranks").size() == 2);
  CHECK(whole.at("mean").at("delayed") == 1);
  CHECK(states_text(all).find("they work in turn") == std::string::npos);
  CHECK(states_text(all).find("Ranks seldom wait") != std::string::npos);
}

}  // namespace trace_states

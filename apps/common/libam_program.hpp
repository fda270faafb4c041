// The main function of the programs over libam, in Split-C or in messages of their own.
//
// A World is a class by whose object a program joins: with rank, ranks, endpoint, team and barrier,
// as am::splitc::world has them.
#pragma once

#include "busiest_rank.hpp"
#include "options.hpp"
#include "report.hpp"

#include <am/team.hpp>
#include <am/trace.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace apps {

using am::rank_id;
using am::word;

// What a program counts by itself: libam counts messages.
struct own_counts {
  std::uint64_t reads = 0;  // of words or bulk data at other ranks
  std::uint64_t barriers = 0;
};

// One run of an algorithm: made with this rank's part of the input.
template <class Program, class World>
concept program_in = std::constructible_from<Program, World&, const options&, std::size_t> &&
    requires(Program p, phases& times, own_counts& counts) {
  p.run(times, counts);  // collective
  { p.check() } -> std::same_as<bool>;
};

namespace detail {

inline traffic between(const am_stats& before, const am_stats& after, const own_counts& own) {
  const auto of = [&](std::uint64_t am_traffic::*which) {
    return static_cast<double>(after.all.*which - before.all.*which);
  };
  traffic t;
  t.messages = of(&am_traffic::requests) + of(&am_traffic::gets) + of(&am_traffic::atomics) +
               of(&am_traffic::answers);
  t.bulk_messages = of(&am_traffic::mediums) + of(&am_traffic::stores) + of(&am_traffic::gets);
  t.bulk_bytes = of(&am_traffic::medium_bytes) + of(&am_traffic::store_bytes) +
                 of(&am_traffic::get_bytes) + of(&am_traffic::answer_bytes);
  t.reads = 2 * static_cast<double>(own.reads);
  t.barriers = static_cast<double>(own.barriers);
  return t;
}

// Times are those of the rank that took longest, counts the mean of all; what was checked is the
// sum.
inline void combine(am::team& all, run& one) {
  const auto longest = [&](double& seconds) {
    seconds = all.all_reduce(seconds, [](double a, double b) { return std::max(a, b); });
  };
  const auto mean = [&](double& count) {
    count = all.all_reduce(count, std::plus<>()) / all.ranks();
  };
  longest(one.seconds);
  for (phases::phase& part : one.parts) longest(part.seconds);
  traffic& t = one.per_rank;
  for (double* count : {&t.messages, &t.bulk_messages, &t.bulk_bytes, &t.reads, &t.barriers})
    mean(*count);
  for (named_count& each : one.checked) each.count = all.all_reduce(each.count, std::plus<>());
}

template <class Program, class World>
run run_once(World& w, const options& from, std::size_t size) {
  Program program(w, from, size);
  w.barrier();
  phases times;
  own_counts counts;
  const am_stats before = w.endpoint().stats();
  const std::vector<am_traffic> before_by_rank = traffic_by_rank(w);
  const auto start = std::chrono::steady_clock::now();
  {
    const am::span timed("run");
    program.run(times, counts);
  }
  times.end();
  run one;
  one.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  one.per_rank = between(before, w.endpoint().stats(), counts);
  load mine;
  mine.reads = static_cast<double>(counts.reads);
  mine.barriers = static_cast<double>(counts.barriers);
  one.busiest = busiest_since(w, before_by_rank, traffic_by_rank(w), mine);
  one.has_traffic = true;
  one.parts = times.all();
  one.right = w.team().all_reduce(program.check() ? 0U : 1U, std::plus<>()) == 0;
  if constexpr (requires { program.checked(); }) one.checked = program.checked();
  combine(w.team(), one);
  return one;
}

// Why this job cannot run the program with these options; empty: it can.
template <class Program, class World>
std::string refusal(World& w, const options& from) {
  if (from.variant == "serial" && w.ranks() != 1)
    return "--variant serial is for 1 rank, not " + std::to_string(w.ranks());
  if constexpr (requires { Program::refusal(w, from); }) return Program::refusal(w, from);
  return {};
}

}  // namespace detail

// A variant of the name "serial" is the serial reference, for one rank. A program may have a static
// `refusal`, as above, and `checked`: what this rank has found right, by names.
template <class World, program_in<World> Program>
int libam_main(const description& of, int argc, char** argv) try {
  options from;
  if (const auto ended = read_options(of, argc, argv, from)) return *ended;
  World w(argc, argv);
  if (const std::string why = detail::refusal<Program>(w, from); !why.empty()) {
    if (w.rank() == 0) std::fprintf(stderr, "%s: %s\n", of.of.name, why.c_str());
    return 2;
  }
  const std::size_t size = total_size(of, from, w.ranks());
  report to(of, from, "libam", w.ranks(), size);
  bool right = true;
  for (unsigned i = 0; i < from.samples; ++i) {
    const run one = detail::run_once<Program>(w, from, size);
    right = right && one.right;
    if (w.rank() == 0) to.add(one);
  }
  if (w.rank() == 0) to.finish();
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", of.of.name, e.what());
  return 1;
}

}  // namespace apps

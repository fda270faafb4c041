// The experiments of a launch of COMMTEST, timed and reported.
//
// Reported (report.hpp) for each protocol and set, under a name such as 0,3/B:
//   T      the time for each packet count: the longest time of a process by its own clock, divided
//          by the number of repetitions
//   span   for each, the time from the first start to the last end, divided by the longest time
#pragma once

#include <calib/program/commtest/commtest_options.hpp>
#include <calib/program/commtest/memory.hpp>
#include <calib/program/commtest/swapper.hpp>
#include <calib/program/cpu.hpp>
#include <calib/program/report.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace calib {

template <two_sided Library>
class experiments {
 public:
  // Collective. Each rank of the library takes part.
  experiments(Library& l, const commtest_options& of) : l_(l), of_(of), memory_(of.volume) {}

  void measure() {
    for (const swap_protocol& by : swap_protocols())
      for (const swap_set set : swap_sets) measure(by, set);
  }

 private:
  struct times {
    double longest;  // ns
    double span;     // by the longest
  };

  // Runs of the fewest and of the most packets that do not count come first: connections are made,
  // and memory is registered.
  void measure(const swap_protocol& by, swap_set set) {
    const std::string name = std::string(by.name) + '/' + name_of(set);
    if (l_.rank() == 0) report::begin(name, "T");
    for (const unsigned packets : {of_.packets.front(), of_.packets.back()})
      run(by, set, packets, cache_mode::initialised);
    for (unsigned sample = 0; sample < of_.samples; ++sample) {
      std::vector<double> longest, span;
      for (const unsigned packets : of_.packets) {
        const times found = run(by, set, packets, of_.mode);
        longest.push_back(found.longest);
        span.push_back(found.span);
      }
      if (l_.rank() != 0) continue;
      report::values(name, "T", longest);
      report::values(name, "span", span);
    }
  }

  times run(const swap_protocol& by, swap_set set, unsigned packets, cache_mode mode) {
    swapper<Library> mine(l_, by);
    const unsigned repeats = repeats_of(mode);
    // MPI does not allow two receives into one place.
    const bool two_rooms = set == swap_set::B && mine.posts() && repeats > 1;
    const packet_walk all(memory_.out(), memory_.in(), of_.volume / packets, packets, repeats,
                          two_rooms ? memory_.room_bytes() : 0);
    ++run_;
    if (mode == cache_mode::invalidated) memory_.invalidate_caches();
    memory_.initialise(of_.volume, run_, l_.rank());
    if (set == swap_set::B) mine.prepost(all);
    l_.barrier();
    const std::uint64_t start = cpu_.now();
    if (set == swap_set::A)
      mine.swap_plainly(all);
    else
      mine.swap_reordered(all);
    const std::uint64_t end = cpu_.now();
    check(by, set, packets, mine.peer(), two_rooms ? 2 : 1);
    // One reading of the clock lies between the two.
    const double longest = l_.max(cpu_.ns(end - start) - cpu_.cost_ns());
    return {longest / repeats, (span_of(start, end) - cpu_.cost_ns()) / longest};
  }

  // Readings of two processes of one host may be compared.
  double span_of(std::uint64_t start, std::uint64_t end) {
    const double first = -l_.max(-static_cast<double>(start));
    const double last = l_.max(static_cast<double>(end));
    return cpu_.ns(static_cast<std::uint64_t>(last - first));
  }

  void check(const swap_protocol& by, swap_set set, unsigned packets, int peer, std::size_t rooms) {
    for (std::size_t room = 0; room < rooms; ++room)
      if (const auto wrong = memory_.find_difference(room, of_.volume, run_, peer))
        report::fault(std::string(by.name) + ' ' + name_of(set) + ", " + std::to_string(packets) +
                      " packets: the word at byte " + std::to_string(wrong->byte) + " is " +
                      std::to_string(wrong->is) + " and should be " +
                      std::to_string(wrong->should_be));
  }

  Library& l_;
  const commtest_options& of_;
  swap_memory memory_;
  const processor cpu_;
  std::uint64_t run_ = 0;
};

}  // namespace calib

// What a process does in a launch of COMMTEST.
#pragma once

#include <calib/program/commtest/experiments.hpp>

#include <unistd.h>

#include <string>

namespace calib {

// For a rank that takes no part: one that waited in the library would use a processor that is
// measured.
template <two_sided Library>
void sleep_until_woken(Library& all) {
  constexpr useconds_t a_while = 10'000;
  std::byte nothing{};
  typename Library::request end = all.irecv(0, 0, &nothing, 0);
  while (!all.test(end)) ::usleep(a_while);
}

template <two_sided Library>
void wake_others(Library& all, const commtest_options& of) {
  const std::byte nothing{};
  for (int rank = 0; rank < all.ranks(); ++rank)
    if (!of.takes_part(rank)) all.send(rank, 0, &nothing, 0);
}

// `make` makes the library of the ranks that swap; those that sleep make one of theirs. Collective.
template <two_sided Library, class Make>
void run_commtest(Library& all, const commtest_options& of, Make&& make) {
  Library some = make(of.takes_part(all.rank()));
  if (!of.takes_part(all.rank())) return sleep_until_woken(all);
  experiments(some, of).measure();
  if (all.rank() == 0) wake_others(all, of);
}

inline void check_processes(int ranks, const commtest_options& of) {
  if (ranks != of.processes())
    report::fault("needs " + std::to_string(of.processes()) + " processes for " + of.pairs +
                  ", has " + std::to_string(ranks));
}

}  // namespace calib

// The command line by which the driver starts a program of COMMTEST, and one launch of it: all
// protocols in both sets, in one cache mode, of one volume.
#pragma once

#include <calib/program/commtest/protocols.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace calib {

// "0-1" of two processes, "0-2" of four of which the others sleep, and "0-2+1-3" at the same time.
inline constexpr std::array swap_pairs = {"0-1", "0-2", "0-2+1-3"};

constexpr int processes_for(std::string_view pairs) { return pairs == swap_pairs[0] ? 2 : 4; }

struct commtest_options {
  std::string pairs = swap_pairs[0];          // --pairs NAME
  cache_mode mode = cache_mode::initialised;  // --mode NAME
  std::size_t volume = swap_volumes[1];       // --volume BYTES
  std::vector<unsigned> packets = {1};        // --packets N,N,...: ascending powers of 2
  unsigned samples = 1;                       // --samples N: runs of each experiment

  [[nodiscard]] int processes() const { return processes_for(pairs); }
  // Those that swap packets; the others sleep.
  [[nodiscard]] bool takes_part(int rank) const { return pairs != swap_pairs[1] || rank % 2 == 0; }
};

// Ends the process with status 2 on bad usage.
commtest_options parse_commtest(int argc, char** argv);

}  // namespace calib

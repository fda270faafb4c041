// The rows of commtest side by side: those of one layer and slice, and the layers over one
// transport.
#pragma once

#include <calib/driver/commtest/commtest_result.hpp>

#include <string>
#include <vector>

namespace calib {

using commtest_rows = std::vector<const commtest_row*>;

// The one that swaps most of the ordered ones, or of the others; null: there is none.
const commtest_row* most_bandwidth(const commtest_rows& of, bool ordered);

// Each layer and slice, in the order of the rows: of these are the sentences of best_protocols().
std::vector<commtest_rows> layers_and_slices(const std::vector<commtest_row>& rows);

// The layers over one transport, of one slice.
struct commtest_group {
  std::string transport;
  commtest_slice slice;
  std::vector<commtest_rows> layers;
  std::vector<std::string> best;  // the sentence of each
};
std::vector<commtest_group> groups_of(const commtest_result& from);

// "shm, pair 0-1, 128KB, initialised".
std::string title_of(const commtest_group& of);

}  // namespace calib

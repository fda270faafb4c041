// The result of `am-calibrate commtest`, before it is written as tables, as JSON
// or as a page.
#pragma once

#include <calib/driver/commtest/curve.hpp>
#include <calib/driver/commtest/slices.hpp>
#include <calib/driver/html/page.hpp>
#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/terminal/look.hpp>
#include <calib/statistics.hpp>

#include <string>
#include <vector>

namespace calib {

// How many runs the page takes the least time of.
inline constexpr std::size_t runs_of_least = 3;

// By the least times of the first three runs, as on the page, and beside it over all runs.
struct commtest_figure {
  double of_least = 0;
  estimate over_runs;
};

struct commtest_point {
  unsigned packets = 0;
  commtest_figure time;  // ns
  double span = 1;       // from the first start to the last end, by the longest time: the median
};

struct commtest_row {
  measured_layer layer;
  commtest_slice slice;
  const swap_protocol* by = nullptr;
  swap_set set = swap_set::A;
  std::size_t runs = 0;
  std::vector<commtest_point> points{};
  commtest_figure alpha{};      // ns
  commtest_figure beta{};       // ns a byte
  commtest_figure latency{};    // ns
  commtest_figure bandwidth{};  // GB/s: swap, of an ordered protocol also idle
  model_error error{};          // of alpha and beta by the least times
};

struct commtest_result : measurement {
  commtest_scope scope;
  std::vector<commtest_row> rows;
  std::vector<std::string> best;  // a sentence for each layer and slice
};

// Sets what follows from the launches.
void analyse(commtest_result& into);

// Which protocol is best: of each layer over each slice, in one sentence.
std::vector<std::string> best_protocols(const std::vector<commtest_row>& rows);

// With the charts that this look has.
std::string table_of(const commtest_result& from, const terminal::look& how);
std::string json_of(const commtest_result& from);
html::page page_of(const commtest_result& from);
// The pictures alone, for a page that has more.
void add_pictures(const commtest_result& from, html::page& into);

}  // namespace calib

// The result of `am-calibrate comb`, before it is written as tables, as JSON
// or as a page.
#pragma once

#include <calib/driver/comb/merit.hpp>
#include <calib/driver/comb/overlap.hpp>
#include <calib/driver/comb/sweep.hpp>
#include <calib/driver/html/page.hpp>
#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/terminal/look.hpp>
#include <calib/statistics.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace calib {

// Everything is computed within a round; a figure is the median over the rounds. Times in ns,
// bandwidth in GB/s, of both directions together.

struct polling_point {
  std::uint64_t iterations = 0;  // the interval; 0: no work
  estimate dry;                  // the interval alone
  estimate piece;                // with its poll, while messages flow
  estimate bandwidth;
  estimate availability;
};

struct pww_point {
  std::uint64_t iterations = 0;  // of work; 0: none
  estimate dry, post, worked, test, wait;
  estimate overhead;       // what the work takes longer with messages than alone
  estimate overhead_part;  // the same as a part of the work alone
  estimate bandwidth;
  estimate availability;
};

// What a curve is of.
struct comb_case {
  std::string method;  // polling, pww, pww-test
  std::uint64_t bytes = 0;
  std::uint64_t depth = 0;

  auto operator<=>(const comb_case&) const = default;
};

struct polling_curve {
  comb_case of;
  std::vector<polling_point> points;
  estimate merit;
  double peak = 0;                   // the median of the bandwidth without work
  std::vector<traded_point> traded;  // of the medians
  std::optional<traded_point> knee;  // of these
  std::string shown;                 // in words, by shown_by()
};

struct pww_curve {
  comb_case of;
  std::vector<pww_point> points;
  estimate merit;
  // overlap.hpp; of the rounds that know it.
  estimate alone;
  std::optional<estimate> behind, hidden, slope;
  // The shortest work that is as long as the wait without work, or longer: its overhead is shown.
  std::size_t loaded = 0;
  std::string shown;  // in words, by shown_by()
};

struct comb_layer {
  measured_layer layer;
  estimate iteration;  // ns, without messages
  estimate drift;      // by how much it takes longer after everything else, as a part
  std::vector<polling_curve> polling;
  std::vector<pww_curve> pww;
  std::vector<std::string> verdicts;
};

struct comb_result : measurement {
  comb_sweep sweep;
  std::vector<comb_layer> layers;
};

// Sets what follows from the launches.
void analyse(comb_result& into);

// The largest median of bandwidth at points with at least this availability; 0: there is none.
double bandwidth_at(const polling_curve& of, double availability);

// "100 KB x 4": the bytes of a message, and the depth.
std::string size_of(const comb_case& of);

// What a curve shows, in a sentence each.
std::string shown_by(const polling_curve& of, double iteration_ns);
std::string shown_by(const pww_curve& of);
// The same, with the method, size and depth in front.
std::string verdict_head(const comb_case& of);
std::string verdict_of(const polling_curve& of, double iteration_ns);
std::string verdict_of(const pww_curve& of);

// How the figures are to be read; of lines for a terminal.
std::string explanation_of(const comb_result& from);

std::string polling_tables(const comb_result& from, bool colour);
std::string pww_tables(const comb_result& from, bool colour);
// With the charts that this look has.
std::string table_of(const comb_result& from, const terminal::look& how);
std::string json_of(const comb_result& from);
html::page page_of(const comb_result& from);
// The pictures alone, for a page that has more.
void add_pictures(const comb_result& from, html::page& into);

}  // namespace calib

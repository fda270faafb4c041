// By how much a program becomes slower with a dial, beside its model.
#pragma once

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/peers/medians.hpp>
#include <calib/suite/entries.hpp>
#include <calib/suite/sensitivity/model.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace calib::suite {

struct sensitivity {
  struct point {
    double value;        // of the dial, ns
    estimate ns;         // the program's time
    estimate slowdown;   // in times of that without a dial, in the same round
    double least, most;  // the model's times; equal where it has one
  };
  suite::entry entry;  // without a dial
  std::string dial;
  double base = 0;   // its time then, ns
  double plain = 0;  // its time without AM_DIAL, without the apparatus of dials
  suite::load load;
  suite::model model;
  std::vector<point> points;  // by value
  estimate slope;             // ns for each ns of the dial, by least squares within each round

  // Whether the model has the highest value cost a tenth of the base, which noise does not hide.
  [[nodiscard]] bool is_visible() const;
  // From which value on all times are a tenth above what the model says at most, or below what it
  // says at least, and their intervals do not reach it. Nothing: the last one is not.
  struct departure {
    double from;
    double times;  // the last time in times of the model's
  };
  [[nodiscard]] std::optional<departure> departs() const;
};

// Over shm a get is a copy.
inline bool has_direct_gets(std::string_view transport) { return transport == "shm"; }
// How a program runs that `of` describes.
run_form form_of(const entry& of);

// The counts that a program has reported. Nothing: it has not run.
std::optional<load> load_of(const median_map& all, const entry& of);

// Nothing: neither the base nor any value has been measured.
std::optional<sensitivity> sensitivity_of(const median_map& all, const entry& base,
                                          const dial& turned);

// The entry without AM_DIAL.
entry plain(entry base);
// The entry with a value of the dial.
entry dialled(entry base, std::string_view dial_name, double ns);

}  // namespace calib::suite

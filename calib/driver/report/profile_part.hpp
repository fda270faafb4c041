// Profiles in the report.
#pragma once

#include <calib/driver/html/page.hpp>
#include <calib/driver/profile/comparison.hpp>
#include <calib/driver/profile/profile.hpp>

#include <string>

namespace calib {

// How the page names a profile.
struct profile_label {
  std::string letter;  // A or B, of two
  std::string written_on;

  // A name for a file of one of its tables.
  [[nodiscard]] std::string file(const std::string& of) const;
};

// The machine, the parameters of all layers, the checks, and what each layer shows.
void add_profile(const profile& from, const profile_label& label, html::page& into);

// What is better or worse in the second one.
void add_comparison(const comparison_side& before, const comparison_side& after, html::page& into);

// ---- parts of add_profile() ----

// A layer's signature, and its costs by size (layer_part.cpp).
void add_layer(const layer_profile& from, const profile_label& label, html::page& into);
// What the parameters say of measurements that did not determine them (checks_part.cpp).
void add_checks(const profile& from, const profile_label& label, html::page& into);

}  // namespace calib

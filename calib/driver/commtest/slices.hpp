// What `am-calibrate commtest` launches: for each layer, pair of processes, cache mode and volume a
// program that runs all protocols in both sets.
#pragma once

#include <calib/driver/launch/catalogue.hpp>
#include <calib/program/commtest/protocols.hpp>

#include <string>
#include <vector>

namespace calib {

// What is varied, beside protocols, sets and layers.
struct commtest_scope {
  std::vector<std::string> pairs;
  std::vector<cache_mode> modes;
  std::vector<std::size_t> volumes;
  std::vector<unsigned> packets;
};
commtest_scope quick_scope();
commtest_scope usual_scope();
commtest_scope full_scope();

// A part of a scope, which a program is launched for.
struct commtest_slice {
  std::string pairs;
  cache_mode mode;
  std::size_t volume;

  bool operator==(const commtest_slice&) const = default;
};
std::vector<commtest_slice> slices_of(const commtest_scope& of);
// The name of its launches' method.
std::string method_of(const commtest_slice& slice);

// "2MB", "128KB" and "8KB".
std::string volume_name(std::size_t volume);
std::vector<std::string> volume_names();
std::vector<std::string> mode_names();

// libam, Open MPI and MPICH, over the transports that they have in common, and libam over ucx.
std::vector<measured_layer> commtest_layers();
std::vector<std::string> commtest_transports();

// `layers` empty: all. The programs need not be confined to the CPUs of one pair where there are
// several pairs.
catalogue find_commtest(const std::vector<std::string>& transport_names,
                        const std::vector<std::string>& layers, const commtest_scope& scope);

}  // namespace calib

// What the commands of am-calibrate do. Each returns the status with which the process ends.
#pragma once

#include <calib/driver/comb/sweep.hpp>
#include <calib/driver/commtest/slices.hpp>
#include <calib/driver/dials/sweep.hpp>
#include <calib/driver/measure/command.hpp>

#include <optional>
#include <string>
#include <vector>

namespace calib {

// ---- run: the LogP parameters of every transport (calibrate.cpp) ----

struct run_request : measuring_request {
  std::optional<std::string> profile;  // the file to keep it in, or "none"; not given: the default
  bool all_transports = true;
  bool default_effort = true;  // neither rounds nor samples were given
  bool if_missing = false;     // only if no profile is kept that fits, and the machine is idle
};

plan quick_run_plan(std::vector<std::string> transport_names);
plan default_run_plan(std::vector<std::string> transport_names);
plan full_run_plan(std::vector<std::string> transport_names);

// Measures, shows and keeps a profile. In a job of several such processes it measures a pair of
// each class of the job, and rank 0 reports.
exit_status calibrate(const run_request& request);

// ---- peers: libam beside its peers and the limits ----

struct peers_request : measuring_request {
  std::vector<std::string> layers;  // empty: all
};

plan quick_peers_plan(std::vector<std::string> transport_names);
plan full_peers_plan(std::vector<std::string> transport_names);

exit_status peers(const peers_request& request);

// ---- dials: how exact AM_DIAL is (dials.cpp) ----

struct dials_request : measuring_request {
  dial_values values;
};

plan quick_dials_plan(std::vector<std::string> transport_names);
plan usual_dials_plan(std::vector<std::string> transport_names);

// 0: every dial is as exact as it should be, 1: one is off.
exit_status dials(const dials_request& request);

// ---- comb: bandwidth against the processor that is left (comb.cpp) ----

struct comb_request : drawing_request {
  comb_sweep sweep;
  std::vector<std::string> layers;  // empty: all
};

plan quick_comb_plan(std::vector<std::string> transport_names);
plan usual_comb_plan(std::vector<std::string> transport_names);
plan full_comb_plan(std::vector<std::string> transport_names);

exit_status comb(const comb_request& request);

// ---- commtest: the protocols by which two processes swap data (commtest.cpp) ----

struct commtest_request : drawing_request {
  commtest_scope scope;
  std::vector<std::string> layers;  // empty: all
};

plan quick_commtest_plan(std::vector<std::string> transport_names);
plan usual_commtest_plan(std::vector<std::string> transport_names);
plan full_commtest_plan(std::vector<std::string> transport_names);

exit_status commtest(const commtest_request& request);

// ---- show, compare, export: profiles that are kept. No file: the default one ----

exit_status show(const std::optional<std::string>& file);

// 0: the same or better, 1: worse, 2: one cannot be read, or they cannot be compared.
exit_status compare_files(const std::string& before, const std::string& after);

// `format` is one of csv, loggopsim and netgauge.
exit_status export_profile(const std::string& format, const std::optional<std::string>& file);

// ---- report: what was measured, as one page (report.cpp) ----

struct report_request {
  std::vector<std::string> files;   // none: the kept profile
  std::optional<std::string> html;  // not given: report.html beside the first file
};

// 2: a file cannot be read.
exit_status report(const report_request& request);

}  // namespace calib

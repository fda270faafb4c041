// The course of a command that measures: what is asked of it, and what follows the measurement.
#pragma once

#include <calib/driver/measure/measurement.hpp>

#include <unistd.h>

#include <optional>
#include <string>

namespace calib {

struct measuring_request {
  calib::plan plan;
  std::optional<std::string> json;  // a file, or "-"
};

// Whether a command may begin that starts pairs of its own. Otherwise a message has said why not:
// it is in a job, or cannot write its file.
exit_status check_start(const char* command, const measuring_request& request);

// Analyses what was measured, and writes it. False: a message has said that it cannot.
template <class Result>
bool analyse_and_write(const measuring_request& request, Result& whole) {
  analyse(whole);
  check_environment(whole.environment, whole);
  return write_result(request.json, json_of(whole), table_of(whole, may_colour(STDOUT_FILENO)));
}

// The same, after the measurement of what was found, which is of this kind.
template <class Result>
bool measure_and_write(const measuring_request& request, const catalogue& found, const char* kind,
                       Result& whole) {
  if (!check_found(found, kind)) return false;
  take_measurements(found, request.plan, whole, [](const campaign&) { return false; });
  return analyse_and_write(request, whole);
}

}  // namespace calib

// The course of a command that measures: what is asked of it, and what follows the measurement.
#pragma once

#include <calib/driver/measure/measurement.hpp>
#include <calib/driver/terminal/look.hpp>

#include <unistd.h>

#include <optional>
#include <string>

namespace calib {

struct measuring_request {
  calib::plan plan;
  std::optional<std::string> json;  // a file, or "-"
};

// Of a command whose result is drawn, too.
struct drawing_request : measuring_request {
  std::optional<std::string> html;  // a file
  terminal::look look;
};

// Whether a command may begin that starts pairs of its own. Otherwise a message has said why not:
// it is in a job, or cannot write a file.
exit_status check_start(const char* command, const measuring_request& request);
exit_status check_start(const char* command, const drawing_request& request);

// Analyses what was measured, and writes it. False: a message has said that it cannot.
template <class Result>
bool analyse_and_write(const measuring_request& request, Result& whole) {
  analyse(whole);
  check_environment(whole.environment, whole);
  return write_result(request.json, json_of(whole), table_of(whole, may_colour(STDOUT_FILENO)));
}
// A file that fails keeps nothing else back.
template <class Result>
bool analyse_and_write(const drawing_request& request, Result& whole) {
  analyse(whole);
  check_environment(whole.environment, whole);
  const bool paged = !request.html || write_text(page_of(whole).text(), *request.html);
  return write_result(request.json, json_of(whole), table_of(whole, request.look)) && paged;
}

// The same, after the measurement of what was found, which is of this kind.
template <class Request, class Result>
bool measure_and_write(const Request& request, const catalogue& found, const char* kind,
                       Result& whole) {
  if (!check_found(found, kind)) return false;
  take_measurements(found, request.plan, whole, [](const campaign&) { return false; });
  return analyse_and_write(request, whole);
}

}  // namespace calib

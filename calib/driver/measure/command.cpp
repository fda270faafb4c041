#include <calib/driver/measure/command.hpp>

#include <calib/driver/launch/own_job.hpp>
#include <calib/format.hpp>

namespace calib {

exit_status check_start(const char* command, const measuring_request& request) {
  if (find_own_rank()) {
    say(format("{} starts pairs of its own on this host: run it outside of a job", command));
    return bad_usage;
  }
  return request.json && !can_write(*request.json) ? failed : good;
}

exit_status check_start(const char* command, const drawing_request& request) {
  const exit_status start = check_start(command, static_cast<const measuring_request&>(request));
  if (start != good) return start;
  return request.html && !can_write(*request.html) ? failed : good;
}

}  // namespace calib

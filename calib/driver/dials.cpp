// `am-calibrate dials`.
#include <calib/driver/commands.hpp>
#include <calib/driver/dials/dials_result.hpp>
#include <calib/driver/launch/own_job.hpp>

#include <unistd.h>

#include <utility>

namespace calib {

using namespace std::chrono_literals;

plan quick_dials_plan(std::vector<std::string> transport_names) {
  return {5, 0, 3, 6, 45s, 0, {}, std::move(transport_names)};
}
plan usual_dials_plan(std::vector<std::string> transport_names) {
  return {7, 0, 6, 12, 270s, 0, {}, std::move(transport_names)};
}

exit_status dials(const dials_request& request) {
  if (find_own_rank()) {
    say("dials starts pairs of its own on this host: run it outside of a job");
    return bad_usage;
  }
  if (request.json && !can_write(*request.json)) return failed;
  dials_result whole;
  whole.values = request.quick ? quick_dial_values() : usual_dial_values();
  const catalogue found = find_dialled(request.plan.transports, whole.values);
  if (!check_found(found, "transport")) return failed;
  take_measurements(found, request.plan, whole, [](const campaign&) { return false; });
  analyse(whole);
  check_environment(whole.environment, whole);
  if (!write_result(request.json, json_of(whole), table_of(whole, may_colour(STDOUT_FILENO))))
    return failed;
  for (const std::string& line : whole.off) say("off: " + line);
  const exit_status ended = report_fitness(whole);
  return ended == good && !whole.off.empty() ? failed : ended;
}

}  // namespace calib

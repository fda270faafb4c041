// `am-calibrate dials`.
#include <calib/driver/commands.hpp>
#include <calib/driver/dials/dials_result.hpp>

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
  if (const exit_status start = check_start("dials", request); start != good) return start;
  dials_result whole;
  whole.values = request.values;
  const catalogue found = find_dialled(request.plan.transports, whole.values);
  if (!measure_and_write(request, found, "transport", whole)) return failed;
  for (const std::string& line : whole.off) say("off: " + line);
  const exit_status ended = report_fitness(whole);
  return ended == good && !whole.off.empty() ? failed : ended;
}

}  // namespace calib

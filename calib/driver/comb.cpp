// `am-calibrate comb`.
#include <calib/driver/comb/comb_result.hpp>
#include <calib/driver/commands.hpp>

#include <utility>

namespace calib {

using namespace std::chrono_literals;

plan quick_comb_plan(std::vector<std::string> transport_names) {
  return {3, 0, 2, 12, 45s, 0, {}, std::move(transport_names)};
}
plan usual_comb_plan(std::vector<std::string> transport_names) {
  return {3, 0, 6, 12, 8min, 0, {}, std::move(transport_names)};
}
plan full_comb_plan(std::vector<std::string> transport_names) {
  return {5, 0, 6, 12, 120min, 0, {}, std::move(transport_names)};
}

exit_status comb(const comb_request& request) {
  if (const exit_status start = check_start("comb", request); start != good) return start;
  comb_result whole;
  whole.sweep = request.sweep;
  const catalogue found = find_comb(request.plan.transports, request.layers, whole.sweep);
  if (!measure_and_write(request, found, "layer", whole)) return failed;
  return report_fitness(whole);
}

}  // namespace calib

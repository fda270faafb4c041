// `am-calibrate comb`.
#include <calib/driver/comb/comb_result.hpp>
#include <calib/driver/commands.hpp>
#include <calib/driver/launch/own_job.hpp>

#include <unistd.h>

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
  if (find_own_rank()) {
    say("comb starts pairs of its own on this host: run it outside of a job");
    return bad_usage;
  }
  if (request.json && !can_write(*request.json)) return failed;
  comb_result whole;
  whole.sweep = request.quick  ? quick_comb_sweep()
                : request.full ? full_comb_sweep()
                               : usual_comb_sweep();
  if (!request.bytes.empty()) whole.sweep.bytes = request.bytes;
  if (!request.depths.empty()) whole.sweep.depths = request.depths;
  const catalogue found = find_comb(request.plan.transports, request.layers, whole.sweep);
  if (!check_found(found, "layer")) return failed;
  take_measurements(found, request.plan, whole, [](const campaign&) { return false; });
  analyse(whole);
  check_environment(whole.environment, whole);
  if (!write_result(request.json, json_of(whole), table_of(whole, may_colour(STDOUT_FILENO))))
    return failed;
  return report_fitness(whole);
}

}  // namespace calib

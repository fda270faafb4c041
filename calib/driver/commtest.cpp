// `am-calibrate commtest`.
#include <calib/driver/commands.hpp>
#include <calib/driver/commtest/commtest_result.hpp>
#include <calib/driver/launch/own_job.hpp>

#include <unistd.h>

#include <utility>

namespace calib {

using namespace std::chrono_literals;

namespace {

// A run is a round, so that the runs of an experiment are minutes apart.
plan commtest_plan(unsigned min_rounds, unsigned max_rounds, std::chrono::seconds time_limit,
                   std::vector<std::string> transport_names) {
  plan out{1, 0, min_rounds, max_rounds, time_limit, 0, {}, std::move(transport_names)};
  out.deadline = 1800;  // processes that share a CPU may wait for each other
  return out;
}

}  // namespace

plan quick_commtest_plan(std::vector<std::string> transport_names) {
  return commtest_plan(1, 6, 45s, std::move(transport_names));
}
plan usual_commtest_plan(std::vector<std::string> transport_names) {
  return commtest_plan(3, 6, 15min, std::move(transport_names));
}
plan full_commtest_plan(std::vector<std::string> transport_names) {
  return commtest_plan(3, 6, 60min, std::move(transport_names));
}

exit_status commtest(const commtest_request& request) {
  if (find_own_rank()) {
    say("commtest starts pairs of its own on this host: run it outside of a job");
    return bad_usage;
  }
  if (request.json && !can_write(*request.json)) return failed;
  commtest_result whole;
  whole.scope = request.scope;
  const catalogue found = find_commtest(request.plan.transports, request.layers, whole.scope);
  if (!check_found(found, "layer")) return failed;
  take_measurements(found, request.plan, whole, [](const campaign&) { return false; });
  analyse(whole);
  check_environment(whole.environment, whole);
  if (!write_result(request.json, json_of(whole), table_of(whole, may_colour(STDOUT_FILENO))))
    return failed;
  return report_fitness(whole);
}

}  // namespace calib

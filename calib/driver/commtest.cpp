// `am-calibrate commtest`.
#include <calib/driver/commands.hpp>
#include <calib/driver/commtest/commtest_result.hpp>

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
  if (const exit_status start = check_start("commtest", request); start != good) return start;
  commtest_result whole;
  whole.scope = request.scope;
  const catalogue found = find_commtest(request.plan.transports, request.layers, whole.scope);
  if (!measure_and_write(request, found, "layer", whole)) return failed;
  return report_fitness(whole);
}

}  // namespace calib

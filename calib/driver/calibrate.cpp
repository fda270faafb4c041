// `am-calibrate run`.
#include <calib/driver/commands.hpp>
#include <calib/driver/launch/child_process.hpp>
#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/profile/multi_rank.hpp>
#include <calib/driver/profile/profile_json.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/driver/profile/profile_table.hpp>
#include <calib/format.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace calib {
namespace {

using namespace std::chrono_literals;

// The file for the profile that libam reads. Nothing: it is not kept.
std::optional<std::string> profile_place(const run_request& request) {
  if (!request.profile) return default_profile_path();
  if (*request.profile == "none") return std::nullopt;
  return request.profile;
}

// Every rank of a job must make the same launches, so their number may not depend on the time.
plan with_fixed_rounds(plan of) {
  of.min_rounds = of.max_rounds;
  return of;
}

catalogue find_job(const run_request& request) {
  catalogue found{{own_job_spec()}, {}, {}};
  if (!request.all_transports) {
    std::string list = "AM_TRANSPORT=";
    for (const std::string& one : request.plan.transports)
      list += (list.back() == '=' ? "" : ",") + one;
    found.specs.front().variables.push_back(std::move(list));
  }
  return found;
}

// Why the last launch of a job failed, which ends its measurement. Empty: it did not.
std::string last_fault(const std::vector<launch>& launches) {
  return launches.empty() ? "" : launches.back().fault;
}

// A rank other than 0 only starts its part of each launch.
exit_status run_other_rank(const run_request& request) {
  prepare_for_children();
  const campaign taken = measure(
      find_job(request).specs, with_fixed_rounds(request.plan), [](const progress_event&) {},
      [](const campaign&) { return false; });
  if (const std::string fault = last_fault(taken.launches); !fault.empty()) {
    say(format("this rank's part of a pair failed: {}", fault));
    return failed;
  }
  return taken.complete ? good : stopped;
}

void measure_pairs(const run_request& request, profile& into) {
  take_measurements(find_job(request), with_fixed_rounds(request.plan), into,
                    [](const campaign&) { return false; });
  into.environment.others.reset();
  if (const std::string fault = last_fault(into.launches); into.rounds > 0 && !fault.empty())
    into.failed.push_back(format("a launch failed after {} rounds: {}", into.rounds, fault));
  for (const launch& one : std::exchange(into.launches, {}))
    std::ranges::move(split_by_pair(one), std::back_inserter(into.launches));
  for (const launch& one : into.launches)
    if (const auto shared = one.notes.find("shared");
        shared != one.notes.end() &&
        std::ranges::find(into.unfit, shared->second) == into.unfit.end())
      into.unfit.push_back(shared->second);
}

bool measure_transports(const run_request& request, profile& into) {
  catalogue found = find_signatures(request.plan.transports);
  if (!check_found(found, "transport")) return false;
  if (const unsigned ranks = multi_rank_size(allowed_cpus().size()); ranks > 0)
    std::ranges::move(find_multi_rank(request.plan.transports, ranks),
                      std::back_inserter(found.specs));
  take_measurements(found, request.plan, into, [](const campaign&) { return false; });
  into.missing.insert(into.missing.end(), found.missing_peers.begin(), found.missing_peers.end());
  return true;
}

}  // namespace

// Launches differ more than the samples of one launch, so there are many launches of few samples.
// The interval of the median leaves out the three lowest and the three highest of fifteen. Peers
// are many and have six launches, of which it leaves out none.
plan quick_run_plan(std::vector<std::string> transport_names) {
  return {5, 0, 6, 15, 58s, 0, {}, std::move(transport_names), 6};
}
plan default_run_plan(std::vector<std::string> transport_names) {
  return {30, 0, 9, 12, 4min, 0, {}, std::move(transport_names)};
}
plan full_run_plan(std::vector<std::string> transport_names) {
  return {60, 0, 20, 20, 1h, 0, {}, std::move(transport_names)};
}

exit_status calibrate(const run_request& request) {
  const std::optional<unsigned> own_rank = find_own_rank();
  if (own_rank && *own_rank != 0) return run_other_rank(request);
  const std::optional<std::string> kept = profile_place(request);
  if (request.json && !can_write(*request.json)) return failed;
  if (kept && request.profile && !can_keep_profile(*kept)) return failed;

  profile whole;
  if (own_rank)
    measure_pairs(request, whole);
  else if (!measure_transports(request, whole))
    return failed;
  whole.fingerprint = fingerprint_of(whole.machine);
  analyse(whole);
  check_environment(whole.environment, whole);
  if (const char* faults = ::secure_getenv("AM_FAULT"))
    whole.unfit.push_back(format("AM_FAULT={} makes libam's messages go wrong", legible(faults)));
  const std::string text = json_of(whole);
  if (!write_result(request.json, text, table_of(whole, may_colour(STDOUT_FILENO)))) return failed;
  const exit_status ended = report_fitness(whole);
  // A named file is always written. The default file, which libam reads, is replaced only by a
  // complete profile of an undisturbed machine.
  if (kept && request.profile && !keep_profile(text, *kept)) return failed;
  const bool is_usual = !own_rank && request.all_transports && request.default_effort;
  if (kept && !request.profile && is_usual && ended == good) (void)keep_profile(text, *kept);
  return ended;
}

}  // namespace calib

// `am-calibrate run`.
#include <calib/driver/commands.hpp>
#include <calib/driver/launch/cpus.hpp>
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/profile/multi_rank.hpp>
#include <calib/driver/profile/once.hpp>
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

catalogue find_job(const run_request& request) {
  std::string list;
  if (!request.all_transports)
    for (const std::string& one : request.plan.transports) list += (list.empty() ? "" : ",") + one;
  return {own_job_specs(list), {}, {}};
}

// A launch of sockets is empty where there is no pair on two hosts, or these do not connect.
void add_pairs(const launch& whole, profile& into) {
  for (launch& one : split_by_pair(whole))
    if (!one.measured.empty() || !one.fault.empty()) into.launches.push_back(std::move(one));
  const auto why = whole.notes.find("unconnected");
  if (why == whole.notes.end()) return;
  const std::string line = format("{}: {}", name_of(whole.layer), why->second);
  if (std::ranges::find(into.remarks, line) == into.remarks.end()) into.remarks.push_back(line);
}

void measure_pairs(const run_request& request, profile& into) {
  take_measurements(find_job(request), in_step(request.plan), into,
                    [](const campaign&) { return false; });
  // Its ranks would be out of step, so it ends the measurement.
  const std::string fault = into.launches.empty() ? "" : into.launches.back().fault;
  if (into.rounds > 0 && !fault.empty() && fault != "stopped")
    into.failed.push_back(format("a launch failed after {} rounds: {}", into.rounds, fault));
  for (const launch& one : std::exchange(into.launches, {})) add_pairs(one, into);
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
  if (request.if_missing && own_rank) {
    say("--if-missing is not for jobs, whose profiles are not those of a machine");
    return bad_usage;
  }
  if (own_rank && *own_rank != 0) return take_part(find_job(request), request.plan);
  if (request.if_missing) {
    const auto places = request.profile ? std::vector{*request.profile} : profile_places();
    const auto ended = end_early(places, fingerprint_of(this_machine()), read_readiness());
    if (ended) return *ended;
  }
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

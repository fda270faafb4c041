#include <calib/driver/child.hpp>
#include <calib/driver/job.hpp>
#include <calib/driver/profile.hpp>
#include <calib/driver/profile_json.hpp>
#include <calib/driver/profile_table.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/run.hpp>
#include <calib/driver/state.hpp>
#include <calib/driver/validating.hpp>
#include <calib/format.hpp>

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace calib {
namespace {

using namespace std::chrono_literals;

// Where the copy is kept that libam reads; nothing: nowhere.
std::optional<std::string> place_of(const run_request& request) {
  if (!request.profile) return usual_profile();
  if (*request.profile == "none") return std::nullopt;
  return request.profile;
}

// Every rank must make the same launches: so many, whatever time that takes.
plan in_step(plan usual) {
  usual.least = usual.most;
  return usual;
}

catalogue find_job(const run_request& request) {
  catalogue found{{way_of_job()}, {}, {}};
  if (!request.all_transports) {
    std::string list = "AM_TRANSPORT=";
    for (const std::string& one : request.planned.transports)
      list += (list.back() == '=' ? "" : ",") + one;
    found.ways.front().environment.push_back(std::move(list));
  }
  return found;
}

// Why the last launch failed, with which a job ends; empty: it did not, or there is none.
std::string last_fault(const std::vector<launch>& launches) {
  return launches.empty() ? "" : launches.back().fault;
}

// A rank of a job that is not the first starts its part of the launches, and is silent.
exit_status take_part(const run_request& request) {
  prepare_for_children();
  const campaign taken = measure(
      find_job(request).ways, in_step(request.planned), [](const event&) {},
      [](const campaign&) { return false; });
  if (const std::string fault = last_fault(taken.launches); !fault.empty()) {
    say(format("this rank's part of a pair failed: {}", fault));
    return failed;
  }
  return taken.complete ? good : stopped;
}

void take_pairs(const run_request& request, profile& into) {
  take(find_job(request), in_step(request.planned), into, [](const campaign&) { return false; });
  into.at.others.reset();
  if (const std::string fault = last_fault(into.launches); into.rounds > 0 && !fault.empty())
    into.failed.push_back(format("a launch failed after {} rounds: {}", into.rounds, fault));
  for (const launch& one : std::exchange(into.launches, {}))
    std::ranges::move(by_pair(one), std::back_inserter(into.launches));
  for (const launch& one : into.launches)
    if (const auto shared = one.notes.find("shared");
        shared != one.notes.end() &&
        std::ranges::find(into.unfit, shared->second) == into.unfit.end())
      into.unfit.push_back(shared->second);
}

bool take_transports(const run_request& request, profile& into) {
  catalogue found = find_signatures(request.planned.transports);
  if (!is_anything(found, "transport")) return false;
  if (const unsigned ranks = crew_on(allowed_cpus().size()); ranks > 0)
    std::ranges::move(find_crews(request.planned.transports, ranks),
                      std::back_inserter(found.ways));
  take(found, request.planned, into, [](const campaign&) { return false; });
  into.missing.insert(into.missing.end(), found.absent.begin(), found.absent.end());
  return true;
}

}  // namespace

// Launches differ by more than the samples of one, so there are many of few samples: of fifteen the
// interval of their median leaves out the three lowest and the three highest. Six, of which it
// leaves out none, have to do for peers, who are many.
plan quick_calibration(std::vector<std::string> over) {
  return {5, 0, 6, 15, 58s, 0, {}, std::move(over), 6};
}
plan usual_calibration(std::vector<std::string> over) {
  return {30, 0, 9, 12, 4min, 0, {}, std::move(over)};
}
plan full_calibration(std::vector<std::string> over) {
  return {60, 0, 20, 20, 1h, 0, {}, std::move(over)};
}

exit_status calibrate(const run_request& request) {
  const std::optional<own_job> job = find_own_job();
  if (job && job->rank != 0) return take_part(request);
  const std::optional<std::string> kept = place_of(request);
  if (request.json && !can_write(*request.json)) return failed;
  if (kept && request.profile && !can_keep(*kept)) return failed;

  profile whole;
  if (job)
    take_pairs(request, whole);
  else if (!take_transports(request, whole))
    return failed;
  whole.fingerprint = fingerprint_of(whole.machine);
  analyse(whole);
  judge(whole.at, whole);
  if (const char* faults = ::secure_getenv("AM_FAULT"))
    whole.unfit.push_back(format("AM_FAULT={} makes libam's messages go wrong", legible(faults)));
  const std::string text = json_of(whole);
  if (!tell(request.json, text, table_of(whole, may_colour(STDOUT_FILENO)))) return failed;
  const exit_status ended = verdict(whole);
  // Who names a file gets it. Others find only what may be relied on: a whole one, of a machine
  // that was not disturbed.
  if (kept && request.profile && !keep_profile(text, *kept)) return failed;
  const bool usual = !job && request.all_transports && request.usual_effort;
  if (kept && !request.profile && usual && ended == good) (void)keep_profile(text, *kept);
  return ended;
}

}  // namespace calib

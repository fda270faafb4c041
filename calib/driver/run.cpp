#include <calib/driver/catalogue.hpp>
#include <calib/driver/child.hpp>
#include <calib/driver/profile.hpp>
#include <calib/driver/profile_json.hpp>
#include <calib/driver/profile_table.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/run.hpp>
#include <calib/driver/state.hpp>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace calib {
namespace {

using namespace std::chrono_literals;

void take_all(const catalogue& from, profile& into) {
  prepare_for_children();
  const watch_over meanwhile;
  progress bar;
  campaign taken = measure(
      from.ways, into.planned, [&](const event& now) { bar.show(now); },
      [](const campaign&) { return false; });
  meanwhile.read(into.at);
  into.rounds = taken.rounds;
  into.complete = taken.complete;
  into.launches = std::move(taken.launches);
  analyse(into);
  judge(into.at, into);
}

// Where the copy is kept that libam reads; nothing: nowhere.
std::optional<std::string> place_of(const run_request& request) {
  if (!request.profile) return usual_profile();
  if (*request.profile == "none") return std::nullopt;
  return request.profile;
}

}  // namespace

// Nine launches: their median's interval leaves the lowest and the highest out.
plan quick_calibration(std::vector<std::string> over) {
  return {15, 0, 6, 9, 50s, 0, {}, std::move(over)};
}
plan usual_calibration(std::vector<std::string> over) {
  return {30, 0, 9, 12, 3min, 0, {}, std::move(over)};
}
plan full_calibration(std::vector<std::string> over) {
  return {60, 0, 20, 20, 1h, 0, {}, std::move(over)};
}

exit_status calibrate(const run_request& request) {
  const std::optional<std::string> kept = place_of(request);
  if (request.json && !can_write(*request.json)) return failed;
  const catalogue found = find_signatures(request.planned.transports);
  for (const std::string& line : found.missing) say(line);
  if (found.ways.empty()) {
    say("no transport to measure");
    return failed;
  }

  profile whole;
  whole.missing = found.missing;
  whole.machine = this_machine();
  whole.fingerprint = fingerprint_of(whole.machine);
  whole.at = look_around();
  whole.planned = request.planned;
  whole.complete = has_two_cpus(whole.at, whole);
  if (whole.complete) take_all(found, whole);

  const std::string text = json_of(whole);
  if (request.json && !write_text(text, *request.json)) return failed;
  if (!request.json || *request.json != "-")
    std::fputs(table_of(whole, may_colour(STDOUT_FILENO)).c_str(), stdout);
  const exit_status ended = verdict(whole);
  // Who names a file gets it. Others find only what may be relied on: a whole one, of a machine
  // that was not disturbed.
  if (kept && request.profile && !keep_profile(text, *kept)) return failed;
  if (kept && !request.profile && request.whole && ended == good) (void)keep_profile(text, *kept);
  return ended;
}

}  // namespace calib

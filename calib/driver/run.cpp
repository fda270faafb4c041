#include <calib/driver/profile.hpp>
#include <calib/driver/profile_json.hpp>
#include <calib/driver/profile_table.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/run.hpp>
#include <calib/driver/state.hpp>

#include <unistd.h>

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
  if (kept && request.profile && !can_keep(*kept)) return failed;
  const catalogue found = find_signatures(request.planned.transports);
  if (!is_anything(found, "transport")) return failed;

  profile whole;
  take(found, request.planned, whole, [](const campaign&) { return false; });
  whole.fingerprint = fingerprint_of(whole.machine);
  analyse(whole);
  judge(whole.at, whole);
  const std::string text = json_of(whole);
  if (!tell(request.json, text, table_of(whole, may_colour(STDOUT_FILENO)))) return failed;
  const exit_status ended = verdict(whole);
  // Who names a file gets it. Others find only what may be relied on: a whole one, of a machine
  // that was not disturbed.
  if (kept && request.profile && !keep_profile(text, *kept)) return failed;
  if (kept && !request.profile && request.whole && ended == good) (void)keep_profile(text, *kept);
  return ended;
}

}  // namespace calib

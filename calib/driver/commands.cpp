#include <calib/driver/commands.hpp>

#include <calib/driver/export/exports.hpp>
#include <calib/driver/launch/catalogue.hpp>
#include <calib/driver/launch/own_job.hpp>
#include <calib/driver/peers/metric.hpp>
#include <calib/driver/peers/peers_json.hpp>
#include <calib/driver/peers/peers_table.hpp>
#include <calib/driver/profile/comparison.hpp>
#include <calib/driver/profile/profile_store.hpp>
#include <calib/driver/profile/profile_table.hpp>
#include <calib/format.hpp>

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace calib {
namespace {

// The sum over these transports.
std::chrono::seconds time_limit_for(const std::vector<std::string>& names,
                                    std::chrono::seconds transport::*limit) {
  std::chrono::seconds out{0};
  for (const transport& one : transports())
    if (std::ranges::find(names, one.name) != names.end()) out += one.*limit;
  return out;
}

}  // namespace

plan quick_peers_plan(std::vector<std::string> transport_names) {
  const auto time = time_limit_for(transport_names, &transport::quick);
  return {30, 8, 6, 12, time, 0, {1 << 12, 1 << 16, 1 << 20, 1 << 24}, std::move(transport_names)};
}
plan full_peers_plan(std::vector<std::string> transport_names) {
  const auto time = time_limit_for(transport_names, &transport::full);
  return {60,
          12,
          10,
          40,
          time,
          0,
          {std::begin(bulk_sizes), std::end(bulk_sizes)},
          std::move(transport_names)};
}

exit_status peers(const peers_request& request) {
  const std::optional<unsigned> own_rank = find_own_rank();
  const catalogue found =
      own_rank ? find_job_layers(request.plan.transports, request.layers)
               : find_layers(request.plan.transports, request.layers, !request.plan.bytes.empty());
  if (own_rank && *own_rank != 0)  // rank 0 says why there is nothing to measure
    return found.specs.empty() ? failed : take_part(found, request.plan);
  if (request.json && !can_write(*request.json)) return failed;
  if (!check_found(found, "layer")) return failed;

  result whole;
  take_measurements(
      found, own_rank ? in_step(request.plan) : request.plan, whole,
      [&](const campaign& so_far) { return !own_rank && ratios_reached(so_far.launches); });
  whole.ratios_reached = ratios_reached(whole.launches);
  if (!analyse_and_write(request, whole)) return failed;
  return report_fitness(whole);
}

exit_status show(const std::optional<std::string>& file) {
  const std::optional<profile> kept = read_profile(file);
  if (!kept) return bad_usage;
  const std::string here = fingerprint_of(this_machine());
  if (kept->fingerprint != here)
    say(format("this profile is of another machine or libam: {}; here: {}", kept->fingerprint,
               here));
  return write_text(table_of(*kept, may_colour(STDOUT_FILENO)), "-") ? good : failed;
}

exit_status compare_files(const std::string& before, const std::string& after) {
  const std::optional<profile> a = read_profile(before);
  const std::optional<profile> b = a ? read_profile(after) : std::nullopt;
  if (!b) return bad_usage;
  for (const std::string& line : objections_to({before, *a}, {after, *b})) say(line);
  const comparison found = compare(*a, *b);
  const std::string head = format("A: {}\nB: {}\n", before, after);
  if (!write_text(head + table_of(found, may_colour(STDOUT_FILENO)), "-")) return failed;
  if (found.count(outcome::worse) > 0) return failed;
  const std::string why_not = found.why_not_judged();
  if (why_not.empty()) return good;
  say(why_not);
  return bad_usage;
}

exit_status export_profile(const std::string& format, const std::optional<std::string>& file) {
  const std::optional<profile> kept = read_profile(file);
  if (!kept) return bad_usage;
  const auto to_text = format == "csv"         ? csv_of
                       : format == "loggopsim" ? loggopsim_of
                                               : netgauge_of;
  return write_text(to_text(*kept), "-") ? good : failed;
}

}  // namespace calib

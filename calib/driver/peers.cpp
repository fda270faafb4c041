#include <calib/driver/peers.hpp>

#include <calib/driver/analysis.hpp>
#include <calib/driver/catalogue.hpp>
#include <calib/driver/child.hpp>
#include <calib/driver/json.hpp>
#include <calib/driver/output.hpp>
#include <calib/driver/progress.hpp>
#include <calib/driver/table.hpp>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace calib {
namespace {

void take_all(const catalogue& from, const plan& planned, result& into) {
  prepare_for_children();
  const watch_over meanwhile;
  progress bar;
  campaign taken = measure(
      from.ways, planned, [&](const event& now) { bar.show(now); },
      [](const campaign& so_far) { return ratios_reached(so_far.launches); });
  meanwhile.read(into.conditions);
  into.conditions.rounds = taken.rounds;
  into.conditions.ratios_reached = ratios_reached(taken.launches);
  into.complete = taken.complete;
  into.launches = std::move(taken.launches);
  analyse(into);
  judge(into.conditions, into);
}

}  // namespace

exit_status peers(const peers_request& request) {
  if (request.json && !can_write(*request.json)) return failed;
  const catalogue found =
      find_layers(request.planned.transports, request.layers, !request.planned.bytes.empty());
  for (const std::string& line : found.missing) say(line);
  if (found.ways.empty()) {
    say("no layer to measure");
    return failed;
  }

  result whole;
  whole.missing = found.missing;
  static_cast<surroundings&>(whole.conditions) = look_around();
  whole.conditions.planned = request.planned;
  whole.machine = this_machine();
  whole.complete = has_two_cpus(whole.conditions, whole);
  if (whole.complete) take_all(found, request.planned, whole);

  if (request.json && !write_text(json_of(whole), *request.json)) return failed;
  if (!request.json || *request.json != "-")
    std::fputs(table_of(whole, may_colour(STDOUT_FILENO)).c_str(), stdout);
  return verdict(whole);
}

}  // namespace calib

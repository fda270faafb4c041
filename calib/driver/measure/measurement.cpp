#include <calib/driver/measure/measurement.hpp>

#include <calib/driver/launch/child_process.hpp>
#include <calib/driver/measure/progress.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {

std::string rounds_text(const measurement& of) {
  return format("{} round{} in {:.0f} s", of.rounds, of.rounds == 1 ? "" : "s",
                of.environment.seconds);
}

bool was_stopped(const measurement& of) { return !of.complete && !of.launches.empty(); }

std::string stopped_text(const measurement& of) {
  return was_stopped(of) ? "  Stopped before the end.\n" : "";
}

bool check_found(const catalogue& found, const char* kind) {
  for (const std::string& line : found.missing) say(line);
  if (found.specs.empty()) say(format("no {} to measure", kind));
  return !found.specs.empty();
}

void take_measurements(const catalogue& found, const calib::plan& plan, measurement& into,
                       const std::function<bool(const campaign&)>& enough) {
  into.missing = found.missing;
  into.machine = this_machine();
  into.environment = read_environment();
  into.plan = plan;
  const bool in_own_job = found.specs.front().in_own_job;
  into.complete = in_own_job || has_two_cpus(into.environment, into);
  if (!into.complete) return;
  prepare_for_children();
  const environment_monitor monitor;
  progress bar;
  campaign taken = measure(
      found.specs, plan, [&](const progress_event& now) { bar.show(now); }, enough);
  monitor.read(into.environment);
  if (in_own_job) into.environment.others.reset();
  into.rounds = taken.rounds;
  into.complete = taken.complete;
  into.launches = std::move(taken.launches);
}

exit_status take_part(const catalogue& found, const calib::plan& plan) {
  prepare_for_children();
  const campaign taken = measure(
      found.specs, in_step(plan), [](const progress_event&) {},
      [](const campaign&) { return false; });
  const std::string fault = taken.launches.empty() ? "" : taken.launches.back().fault;
  if (!fault.empty() && fault != "stopped") {
    say(format("this rank's part of a pair failed: {}", fault));
    return failed;
  }
  return taken.complete ? good : stopped;
}

exit_status report_fitness(const fitness& of) {
  for (const std::string& line : of.failed) say("failed: " + line);
  for (const std::string& line : of.unfit) say("unfit: " + line);
  if (stop_requested()) {
    say("stopped; what had been measured by then was written");
    return stopped;
  }
  if (!of.failed.empty()) return failed;
  return of.unfit.empty() ? good : unfit;
}

}  // namespace calib

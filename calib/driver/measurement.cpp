#include <calib/driver/child.hpp>
#include <calib/driver/measurement.hpp>
#include <calib/driver/output.hpp>
#include <calib/driver/progress.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib {

bool is_anything(const catalogue& found, const char* kind) {
  for (const std::string& line : found.missing) say(line);
  if (found.ways.empty()) say(format("no {} to measure", kind));
  return !found.ways.empty();
}

void take(const catalogue& found, const plan& planned, measurement& into,
          const std::function<bool(const campaign&)>& enough) {
  into.missing = found.missing;
  into.machine = this_machine();
  into.at = look_around();
  into.planned = planned;
  into.complete = found.ways.front().in_own_job || has_two_cpus(into.at, into);
  if (!into.complete) return;
  prepare_for_children();
  const watch_over meanwhile;
  progress bar;
  campaign taken = measure(
      found.ways, planned, [&](const event& now) { bar.show(now); }, enough);
  meanwhile.read(into.at);
  into.rounds = taken.rounds;
  into.complete = taken.complete;
  into.launches = std::move(taken.launches);
}

std::string headline(const machine& m) {
  return format("{}, {} cores{}, {}\n", m.cpu, m.cores,
                m.hypervisor.empty() ? "" : " under " + m.hypervisor, m.kernel);
}

bool tell(const std::optional<std::string>& file, const std::string& json,
          const std::string& table) {
  if (file && !write_text(json, *file)) return false;
  return (file && *file == "-") || write_text(table, "-");
}

}  // namespace calib

#include <calib/suite/sensitivity/study.hpp>

#include <calib/driver/launch/cpus.hpp>
#include <calib/format.hpp>
#include <calib/suite/launched.hpp>
#include <calib/suite/sensitivity/sensitivity.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

bool never_enough(const campaign&) { return false; }

std::vector<std::string> settings_of(const std::vector<dial>& dials) {
  std::vector<std::string> out = {no_dial, ""};
  for (const dial& one : dials)
    for (const double value : one.ns) out.push_back(dial_setting(one.name, value));
  return out;
}

// Chooses what is launched: without a dial, and with the values that a program can afford.
class chooser {
 public:
  chooser(const std::vector<launch_spec>& all, const measurement& trial, double longest_run)
      : all_(all), trial_(collect_medians(trial.launches)), longest_run_(longest_run) {}

  void add_base(const entry& base) {
    add(base);
    add(plain(base));
  }
  void add_values(const entry& base, const dial& turned) {
    const auto* const time = find_figure(trial_, base, "time");
    const auto counted = load_of(trial_, base);
    if (time == nullptr || !counted) return;  // it has failed
    const model expected = model_of(turned.name, *counted, form_of(base));
    const double longest_ns = longest_run_ * 1e9;
    for (const double value : turned.ns) {
      if (expected.most(median(values_of(time->second)), value) > longest_ns) {
        remarks.push_back(format("{} {} {}: not with {} or more, where a run takes {:.0f} s",
                                 base.program, base.variant, base.transport,
                                 dial_setting(turned.name, value), longest_run_));
        return;
      }
      add(dialled(base, turned.name, value));
    }
  }

  std::vector<launch_spec> specs;
  std::vector<std::string> remarks;

 private:
  void add(const entry& one) {
    specs.push_back(*std::ranges::find(all_, one.key(), &launch_spec::layer));
  }

  const std::vector<launch_spec>& all_;
  median_map trial_;
  double longest_run_;
};

}  // namespace

void remark_on_sharing(result& into) {
  if (std::ranges::any_of(into.entries,
                          [](const entry& of) { return of.ranks > allowed_cpus().size(); }))
    into.remarks.emplace_back(
        "more ranks than CPUs: overheads are spins, so one rank's keep others from their CPU");
  // A rank that spins is taken off its CPU, and others wait for it.
  constexpr double some = 0.05;
  if (into.environment.others.value_or(0) > some)
    into.remarks.push_back(
        format("other processes used {:.0f} % of the CPUs, which makes programs slower than their "
               "models",
               100 * *into.environment.others));
}

bool take_study(const selection& of, const std::vector<dial>& dials, const plan& planned,
                double longest_run, result& into) {
  found_entries bases = find_dialled(of, {no_dial});
  if (!check_found(bases.started_as, "program")) return false;
  into.entries = std::move(bases.entries);
  measurement trial;
  plan once = planned;
  once.samples = once.min_rounds = once.max_rounds = 1;
  take_measurements(bases.started_as, once, trial, never_enough);
  if (!trial.complete) {
    static_cast<measurement&>(into) = std::move(trial);
    return true;
  }
  const found_entries all = find_dialled(of, settings_of(dials));
  chooser chosen(all.started_as.specs, trial, longest_run);
  for (const entry& base : into.entries) {
    chosen.add_base(base);
    for (const dial& turned : dials) chosen.add_values(base, turned);
  }
  bases.started_as.specs = std::move(chosen.specs);
  take_measurements(bases.started_as, planned, into, never_enough);
  into.remarks.insert(into.remarks.end(), chosen.remarks.begin(), chosen.remarks.end());
  return true;
}

void analyse_study(const std::vector<dial>& dials, result& into) {
  if (dials.empty()) return;
  const median_map all = collect_medians(into.launches);
  for (const dial& turned : dials)
    for (const entry& base : into.entries) {
      if (auto found = sensitivity_of(all, base, turned))
        into.sensitivities.push_back(std::move(*found));
      for (const double value : turned.ns) add_failure(dialled(base, turned.name, value), into);
    }
  remark_on_sharing(into);
}

}  // namespace calib::suite

#include <calib/suite/predict/check.hpp>

#include <calib/format.hpp>
#include <calib/suite/grids.hpp>
#include <calib/suite/launched.hpp>
#include <calib/suite/sensitivity/sensitivity.hpp>
#include <calib/suite/sensitivity/study.hpp>

#include <algorithm>
#include <utility>

namespace calib::suite {
namespace {

entry with_dials(entry base, const std::string& dials) {
  base.dial = dials;
  return base;
}

entry base_of(const predicted& of) { return with_dials(of.there.entry, no_dial); }

// Without a dial and with those of the set, of programs that the set names.
found_entries find_in_set(const predicted_set& of, const std::string& input) {
  selection chosen{{}, {of.transport}, {of.ranks}, input};
  for (const predicted& one : of.programs) chosen.programs.push_back(one.there.entry.program);
  return find_dialled(chosen, {no_dial, of.dials});
}

class check_chooser {
 public:
  check_chooser(double longest_run, result& into) : longest_run_(longest_run), into_(into) {}

  void add(const predicted_set& set) {
    const found_entries found = find_in_set(set, into_.input);
    for (const std::string& line : found.started_as.missing) say(line);
    for (const predicted& one : set.programs) {
      const launch_spec* const base = find(found, base_of(one));
      const launch_spec* const dialled = find(found, with_dials(one.there.entry, set.dials));
      const bool is_here = base != nullptr && dialled != nullptr;
      if (!is_here)
        into_.failed.push_back(line_name(one.there.entry) + ": not checked: it is not here");
      if (!is_here || is_too_long(one)) continue;
      into_.entries.push_back(base_of(one));
      specs.push_back(*base);
      specs.push_back(*dialled);
    }
  }

  std::vector<launch_spec> specs;

 private:
  static const launch_spec* find(const found_entries& in, const entry& of) {
    const auto at = std::ranges::find(in.started_as.specs, of.key(), &launch_spec::layer);
    return at == in.started_as.specs.end() ? nullptr : &*at;
  }
  bool is_too_long(const predicted& one) {
    const double seconds = one.dialled.there.high / 1e9;
    if (seconds <= longest_run_) return false;
    into_.remarks.push_back(
        format("{}: not checked: a run would take {:.0f} s", line_name(one.there.entry), seconds));
    return true;
  }

  double longest_run_;
  result& into_;
};

}  // namespace

void take_checks(const plan& planned, double longest_run, result& into) {
  check_chooser chosen(longest_run, into);
  for (const predicted_set& set : into.predictions) {
    if (set.dials.empty())
      into.remarks.push_back(
          format("{} on {} ranks: not checked: no message costs more there, and a dial makes none "
                 "cheaper",
                 set.transport, set.ranks));
    else
      chosen.add(set);
  }
  const catalogue found{std::move(chosen.specs), {}, {}};
  if (found.specs.empty()) return;
  take_measurements(found, planned, into, [](const campaign&) { return false; });
}

void analyse_checks(result& into) {
  const median_map all = collect_medians(into.launches);
  for (predicted_set& set : into.predictions)
    for (predicted& one : set.programs) {
      const entry dialled = with_dials(one.there.entry, set.dials);
      one.seen = ratio_within_rounds(find_figure(all, dialled, "time"),
                                     find_figure(all, base_of(one), "time"));
      add_failure(dialled, into);
    }
  remark_on_sharing(into);
}

}  // namespace calib::suite

#include <calib/driver/analysis.hpp>

#include <calib/driver/catalogue.hpp>
#include <calib/driver/medians.hpp>
#include <calib/driver/remarks.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

// With what of `against` a probe is compared: the limit of an answered flood is limit-ring's flood.
subject comparable(const carrier& against, const subject& about) {
  return about.probe == "rr_flood" && against.layer == "limit-ring" ? subject_of("flood") : about;
}

// In the unit of the subject.
std::vector<double> in_unit(const subject& about, std::vector<double> ns) {
  if (about.is_rate())
    for (double& value : ns) value = static_cast<double>(about.bytes) / value;
  return ns;
}

std::string spread_within(const std::vector<launch>& launches, const row& of) {
  std::vector<double> spreads;
  for (const launch& one : launches)
    for (const series& s : one.measured)
      if (one.round > 0 && one.who == of.who && s.variant == of.variant &&
          subject_of(s.probe) == of.about)
        spreads.push_back(spread(s.warm()));
  return format("quartiles within a launch {:.1f} % apart", 100 * median(spreads));
}

std::vector<row> rows_of(const measured& all, const std::vector<launch>& launches) {
  std::vector<row> out;
  for (const carrier& who : carriers())
    for (const subject& about : subjects_of(all))
      if (const auto* chosen = best(all, who, about)) {
        row r{
            who, about, chosen->first, estimate_of(in_unit(about, values_of(chosen->second))), {}};
        r.remark = spread_within(launches, r);
        if (!r.value.interval)
          r.remark += format("; {} {} too few for an interval", r.value.n,
                             r.value.n == 1 ? "round is" : "rounds are");
        out.push_back(std::move(r));
      }
  return out;
}

std::vector<ratio> ratios_of(const measured& all) {
  std::vector<ratio> out;
  for (const carrier& who : carriers()) {
    if (!is_ours(who)) continue;
    for (const carrier& against : carriers())
      for (const subject& about : subjects_of(all)) {
        if (against == who || against.transport != who.transport) continue;
        const subject theirs = comparable(against, about);
        const auto* ours = best(all, who, about);
        const auto* others = best(all, against, theirs);
        if (const auto value = about.is_rate() ? times(others, ours) : times(ours, others))
          out.push_back({who, against, about, theirs, *value});
      }
  }
  return out;
}

std::vector<excess> excesses_of(const measured& all) {
  std::vector<excess> out;
  for (const carrier& who : carriers()) {
    if (!is_ours(who)) continue;
    const carrier limit = bulk_limit_of(who);
    for (const subject& about : subjects_of(all)) {
      if (!about.is_rate()) continue;
      if (const auto ns = within_rounds(best(all, who, about), best(all, limit, about),
                                        [](double a, double b) { return a - b; }))
        out.push_back({who, limit, about, *ns});
    }
  }
  return out;
}

}  // namespace

void analyse(result& into) {
  const measured all = sort_out(into.launches);
  into.rows = rows_of(all, into.launches);
  into.ratios = ratios_of(all);
  into.excesses = excesses_of(all);
  hear(into.launches, into.at);
  for (const row& r : into.rows) into.at.notes[name_of(r.who)][text_of(r.about)] = r.variant;
  remark(all, into);
}

bool ratios_reached(const std::vector<launch>& launches) {
  const std::vector<ratio> ratios = ratios_of(sort_out(launches));
  return std::all_of(ratios.begin(), ratios.end(),
                     [](const ratio& r) { return r.value.within(ratio_within); });
}

}  // namespace calib

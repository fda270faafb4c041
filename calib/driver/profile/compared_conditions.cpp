#include <calib/driver/profile/compared_conditions.hpp>

#include <calib/format.hpp>

#include <algorithm>

namespace calib {
namespace {

constexpr std::string_view all_samples = "of all conditions at once";
constexpr std::string_view one_condition = "of one condition";
constexpr std::string_view another_condition = "of another condition";

}  // namespace

compared_conditions::compared_conditions(const profile& before, const profile& after)
    : before_(before), after_(after), those_(conditions_of(before)), these_(conditions_of(after)) {
  find_common();
}

// The first one is the profile's own.
std::vector<compared_conditions::condition> compared_conditions::conditions_of(const profile& of) {
  std::vector<condition> out;
  if (of.condition) out.push_back({*of.condition, &of.layers});
  for (const condition_profile& one : of.others) out.push_back({one.is, &one.layers});
  return out;
}

// Of the conditions that both may have been in, the pair that both know best: the one of which the
// profile that had it less often had it most.
void compared_conditions::find_common() {
  double most = 0;
  for (const condition& one : those_)
    for (const condition& other : these_)
      if (const double share = std::min(one.is.share, other.is.share);
          one.is.agrees_with(other.is) && share > most) {
        most = share;
        common_ = {one, other};
      }
}

bool compared_conditions::are_apart() const {
  return !common_ && before_.condition && after_.condition;
}

std::string compared_conditions::lines_of(const std::vector<condition>& all) {
  std::string out;
  for (const condition& one : all) out += (out.empty() ? "" : ", ") + place_of(one.is);
  return out;
}

std::string compared_conditions::text() const {
  if (common_)
    return format("compared where a cache line takes {} in A and {} in B",
                  place_of(common_->first.is), place_of(common_->second.is));
  if (are_apart())
    return format("no condition in common: a cache line takes {} in A and {} in B",
                  lines_of(those_), lines_of(these_));
  if (before_.condition)
    return format("A has figures of where a cache line takes {}, and B of all samples",
                  place_of(*before_.condition));
  if (after_.condition)
    return format("A has figures of all samples, and B of where a cache line takes {}",
                  place_of(*after_.condition));
  return {};
}

// `common`: null if there is none.
compared_conditions::found_figures compared_conditions::find_figures(const layer_profile& layer,
                                                                     const profile& of,
                                                                     const condition* common) {
  if (!of.condition || layer.of_all_conditions) return {&layer, all_samples};
  if (common == nullptr) return {&layer, one_condition};
  const auto there = std::ranges::find(*common->layers, layer.layer, &layer_profile::layer);
  if (there == common->layers->end()) return {&layer, another_condition};
  return {&*there, one_condition};
}

compared_figures compared_conditions::figures_of(const layer_profile& before,
                                                 const layer_profile& after) const {
  if (before.is_of_one_cpu()) return {&before, &after, ""};
  const found_figures old = find_figures(before, before_, common_ ? &common_->first : nullptr);
  const found_figures now = find_figures(after, after_, common_ ? &common_->second : nullptr);
  compared_figures out{old.is, now.is, ""};
  if (are_apart())
    out.why_unlike = "measured in other conditions";
  else if (old.samples != now.samples || old.samples == another_condition)
    out.why_unlike = format("{} in A, {} in B", old.samples, now.samples);
  return out;
}

}  // namespace calib

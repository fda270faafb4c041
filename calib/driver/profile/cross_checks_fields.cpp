#include <calib/driver/profile/cross_checks_fields.hpp>

namespace calib {

json written(const ratio_value& value) { return bounded("ratio", value.of); }

void read(const json_field& from, const ratio_value& into) {
  into.of.median = from["ratio"].number();
  if (!from["low"].is_null())
    into.of.interval = estimate::bounds{from["low"].number(), from["high"].number()};
}

json written(const direction_overlap& of) { return bounded("ratio", of.ratio); }
void read(const json_field& from, direction_overlap& into) { read(from, ratio_value{into.ratio}); }

std::optional<pattern_record> record_of(const cross_checks& from, pattern_member which) {
  if (!from.multi_rank) return std::nullopt;
  const multi_rank_checks& all = *from.multi_rank;
  return pattern_record{(all.*which).value_or(pattern_check{}), all.ranks, all.why_not};
}

void add(const pattern_record& one, pattern_member which, cross_checks& into) {
  if (!into.multi_rank) into.multi_rank.emplace();
  if (one.check.verdict.empty()) {
    if (!one.why_not.empty()) into.multi_rank->why_not = one.why_not;
    return;
  }
  (*into.multi_rank).*which = one.check;
  into.multi_rank->ranks = one.ranks;
}

}  // namespace calib

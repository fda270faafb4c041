#include <calib/driver/output/grid.hpp>
#include <calib/driver/profile/profile_table.hpp>
#include <calib/exchange.hpp>
#include <calib/format.hpp>

#include <set>
#include <utility>

namespace calib {
namespace {

std::string text_of(const char* name, const char* unit, const prtt_value& of) {
  const std::string value = format("{} {} {}", name, number(of.value.median), unit);
  return of.off_percent ? format("{} ({:+.0f} %)", value, *of.off_percent) : value;
}

std::string text_of(const exchange_time& of) {
  return format("{} ns, predicted {} ({:+.0f} %)", number(of.measured.median),
                number(of.predicted.median), of.off_percent);
}

// One line for each check.
std::string lines_of(const layer_profile& from) {
  const cross_checks& of = from.cross_checks;
  std::string out;
  const auto add = [&](const std::string& line) {
    out += format("  {:<6} {}\n", from.name(), line);
  };
  if (of.prtt) {
    add(format("cross-check (PRTT): {}, {}, {}", text_of("o", "ns", of.prtt->o),
               text_of("g", "ns", of.prtt->g), text_of("G", "ns/B", of.prtt->G)));
    for (const auto& [name, value] :
         {std::pair("o", &of.prtt->o), {"g", &of.prtt->g}, {"G", &of.prtt->G}})
      if (!value->why_off.empty()) add(format("  {} by PRTT: {}", name, value->why_off));
  }
  if (of.exchange) {
    const std::string pieces = format("{} pieces of other sizes", exchange_length);
    add(format("{}, both ways: {}", pieces, text_of(*of.exchange)));
    if (of.exchange->uncached)
      add(format("{}, in no cache: {}", pieces, text_of(*of.exchange->uncached)));
    if (of.exchange->both_ways && of.exchange->in_turn)
      add(format("the two directions overlap by {:.0f} %; predicted without that: {} ns",
                 100 * of.exchange->both_ways->possible(), number(of.exchange->in_turn->median)));
  }
  if (of.startup)
    add(format("T(n) = T0 + n / R_inf: T0 {} ns, which is meaningless, and R_inf {} GB/s",
               number(of.startup->T0.median), number(of.startup->R_inf.median)));
  if (!of.multi_rank) return out;
  const auto& [ranks, pairs, one_to_many, many_to_one, why_not] = *of.multi_rank;
  if (pairs) add(format("{} pairs at once: {}", ranks / 2, pairs->verdict));
  if (one_to_many) add(format("one to {}: {}", ranks - 1, one_to_many->verdict));
  if (many_to_one) add(format("{} to one: {}", ranks - 1, many_to_one->verdict));
  return out;
}

std::string missing_of(const multi_rank_checks& checks) {
  std::string out;
  for (const auto& [name, found] :
       {std::pair("pairs", &checks.pairs), std::pair("one to many", &checks.one_to_many),
        std::pair("many to one", &checks.many_to_one)})
    if (!*found) out += format("{}{}", out.empty() ? "" : ", ", name);
  return out;
}

}  // namespace

std::string cross_checks_text(const profile& from) {
  std::string out;
  std::set<std::string> reasons;
  for (const layer_profile& one : from.layers) {
    out += lines_of(one);
    if (const auto& checks = one.cross_checks.multi_rank; checks && !checks->why_not.empty())
      reasons.insert(format("{}: {}", missing_of(*checks), checks->why_not));
  }
  for (const std::string& reason : reasons) out += format("  - {}\n", reason);
  return out.empty() ? out : "\nCompared with other methods, sizes and patterns\n\n" + out;
}

}  // namespace calib

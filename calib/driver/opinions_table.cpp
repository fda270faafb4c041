#include <calib/driver/grid.hpp>
#include <calib/driver/opinions_table.hpp>
#include <calib/exchange.hpp>
#include <calib/format.hpp>

#include <set>

namespace calib {
namespace {

std::string text_of(const char* name, const char* unit, const second_value& of) {
  const std::string value = format("{} {} {}", name, number(of.value.median), unit);
  return of.off ? format("{} ({:+.0f} %)", value, *of.off) : value;
}

// One line for each that has something to say.
std::string lines_of(const layer_profile& from) {
  const opinions& of = from.opinions;
  std::string out;
  const auto say = [&](const std::string& line) {
    out += format("  {:<6} {}\n", from.name(), line);
  };
  if (of.prtt)
    say(format("second opinion (PRTT): {}, {}, {}", text_of("o", "ns", of.prtt->o),
               text_of("g", "ns", of.prtt->g), text_of("G", "ns/B", of.prtt->G)));
  if (of.exchange)
    say(format("{} pieces of other sizes, both ways: {} ns, foretold {} ({:+.0f} %)",
               exchange_length, number(of.exchange->measured.median),
               number(of.exchange->predicted.median), of.exchange->off));
  if (of.startup)
    say(format("T(n) = T0 + n / R_inf: T0 {} ns, which means nothing, and R_inf {} GB/s",
               number(of.startup->T0.median), number(of.startup->R_inf.median)));
  if (!of.validation) return out;
  const auto& [ranks, pairs, one_to_many, many_to_one, why_not] = *of.validation;
  if (pairs) say(format("{} pairs at once: {}", ranks / 2, pairs->verdict));
  if (one_to_many) say(format("one to {}: {}", ranks - 1, one_to_many->verdict));
  if (many_to_one) say(format("{} to one: {}", ranks - 1, many_to_one->verdict));
  return out;
}

std::string missing_of(const validation_checks& checks) {
  std::string out;
  for (const auto& [name, found] :
       {std::pair("pairs", &checks.pairs), std::pair("one to many", &checks.one_to_many),
        std::pair("many to one", &checks.many_to_one)})
    if (!*found) out += format("{}{}", out.empty() ? "" : ", ", name);
  return out;
}

}  // namespace

std::string opinions_text(const profile& from) {
  std::string out;
  std::set<std::string> reasons;
  for (const layer_profile& one : from.layers) {
    out += lines_of(one);
    if (const auto& checks = one.opinions.validation; checks && !checks->why_not.empty())
      reasons.insert(format("{}: {}", missing_of(*checks), checks->why_not));
  }
  for (const std::string& why : reasons) out += format("  - {}\n", why);
  return out.empty() ? out
                     : "\nHeld against other methods, other sizes and other patterns\n\n" + out;
}

}  // namespace calib

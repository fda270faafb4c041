#include <calib/driver/opinions_reader.hpp>
#include <calib/driver/value_reader.hpp>

#include <limits>

namespace calib {
namespace {

second_value second_from(const json_field& from, const char* name, const char* unit) {
  const json_field off = from["against"][name];
  return {known_from(from[name], unit), off.is_null() ? std::nullopt : std::optional(off.number())};
}

second_opinion prtt_from(const json_field& from) {
  return {from["bytes_of_o"].number(), second_from(from, "o", "ns"), second_from(from, "g", "ns"),
          second_from(from, "G", "ns/B")};
}

startup_fit startup_from(const json_field& from) {
  return {known_from(from["T0"], "ns"), known_from(from["R_inf"], "GB/s")};
}

exchange_check exchange_from(const json_field& from) {
  const auto remark = from.find("remark");
  return {known_from(from["measured"], "ns"), known_from(from["predicted"], "ns"),
          from["off"].number(), remark ? remark->text() : ""};
}

// A ratio and its interval.
estimate times_from(const json_field& from) {
  estimate out;
  out.median = from["ratio"].number();
  if (!from["low"].is_null())
    out.interval = estimate::bounds{from["low"].number(), from["high"].number()};
  return out;
}

struct pattern_in {
  unsigned ranks = 0;
  std::string why_not;
  std::optional<pattern_check> check;
};

pattern_in pattern_from(const json_field& from) {
  pattern_in out;
  if (from["verdict"].is_null()) {
    out.why_not = from["remark"].text();
    return out;
  }
  const std::uint64_t ranks = from["ranks"].count();
  if (ranks > std::numeric_limits<unsigned>::max()) from["ranks"].expected("a number of ranks");
  out.ranks = static_cast<unsigned>(ranks);
  const json_field times = from["times"];
  out.check =
      pattern_check{known_from(from["g"], "ns"), known_from(from["rtt"], "ns"),
                    times_from(times["g"]), times_from(times["rtt"]), from["verdict"].text()};
  return out;
}

// Nothing: it is not there, or of another form.
template <class Read>
auto find(const json_field& from, const char* name, Read&& read)
    -> std::optional<decltype(read(from))> {
  const auto found = from.find(name);
  if (!found) return std::nullopt;
  std::string fault;
  auto out = read(found->apart(fault));
  return fault.empty() ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<validation_checks> checks_from(const json_field& from) {
  validation_checks out;
  bool any = false;
  for (const auto& [name, into] : {std::pair("pairs", &validation_checks::pairs),
                                   std::pair("one_to_many", &validation_checks::one_to_many),
                                   std::pair("many_to_one", &validation_checks::many_to_one)})
    if (auto found = find(from, name, pattern_from)) {
      any = true;
      out.*into = std::move(found->check);
      if (out.*into) out.ranks = found->ranks;
      if (!found->why_not.empty()) out.why_not = found->why_not;
    }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

opinions opinions_from(const json_field& validation) {
  return {find(validation, "prtt", prtt_from), find(validation, "startup", startup_from),
          find(validation, "exchange", exchange_from), checks_from(validation)};
}

}  // namespace calib

#include <calib/driver/profile/comparison.hpp>
#include <calib/format.hpp>

namespace calib {
namespace {

const char* word_of(outcome which) {
  switch (which) {
    case outcome::same: return "same";
    case outcome::better: return "better";
    case outcome::worse: return "worse";
    case outcome::unknown: break;
  }
  return "not judged";
}

cell cell_of(const std::optional<estimate>& value) {
  return value ? calib::cell_of(*value) : cell{"?", "", ""};
}

// A percentage only where the value before is surely above 0.
cell change_of(const compared_parameter& one) {
  const bool is_above_zero =
      one.before && one.after && one.before->interval && one.before->interval->low > 0;
  if (!is_above_zero) return {};
  return {format("{:+.1f} %", 100 * (one.after->median / one.before->median - 1)), "", ""};
}

}  // namespace

grid grid_of(const compared_layer& from, bool colour) {
  grid out(colour);
  out.add("ns", {title("A"), title("B"), title("change"), title("B is")}, true);
  for (const compared_parameter& one : from.parameters) {
    const std::string verdict = one.reason.empty()
                                    ? word_of(one.outcome)
                                    : format("{}: {}", word_of(one.outcome), one.reason);
    out.add(one.unit == "ns" ? one.name : one.name + ", " + one.unit,
            {cell_of(one.before), cell_of(one.after), change_of(one), words(verdict)},
            one.outcome == outcome::better || one.outcome == outcome::worse);
  }
  return out;
}

std::string count_line(const comparison& from) {
  const auto count = [&](outcome which) { return from.count(which); };
  return format("B against A: {} same, {} better, {} worse, {} not judged", count(outcome::same),
                count(outcome::better), count(outcome::worse), count(outcome::unknown));
}

std::string worse_of(const comparison& from) {
  std::string out;
  for (const compared_layer& layer : from.layers)
    for (const compared_parameter& one : layer.parameters)
      if (one.outcome == outcome::worse && layer.own)
        out += format("{}{} {}", out.empty() ? "" : ", ", layer.name, one.name);
  return out;
}

std::string table_of(const comparison& from, bool colour) {
  std::string out;
  if (!from.conditions.empty())
    out += from.apart ? warning_line(from.conditions, colour) : format("  {}\n", from.conditions);
  for (const compared_layer& one : from.layers)
    out +=
        format("\n{}{}\n\n{}", one.name, one.own ? "" : ", a peer: it does not affect the verdict",
               grid_of(one, colour).text());
  out += format("\n  {}\n", count_line(from));
  if (const std::string names = worse_of(from); !names.empty())
    out += warning_line("worse: " + names, colour);
  for (const std::string& name : from.only_before)
    out += warning_line(name + " is only in A", colour);
  for (const std::string& name : from.only_after)
    out += warning_line(name + " is only in B", colour);
  return out;
}

}  // namespace calib

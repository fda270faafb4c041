#include <calib/driver/compare.hpp>
#include <calib/driver/grid.hpp>
#include <calib/driver/profile_reader.hpp>
#include <calib/driver/progress.hpp>
#include <calib/format.hpp>

#include <unistd.h>

namespace calib {
namespace {

constexpr const char* red = "\x1b[31m";
constexpr const char* plain = "\x1b[0m";

const char* word_of(standing is) {
  switch (is) {
    case standing::same: return "same";
    case standing::better: return "better";
    case standing::worse: return "worse";
    case standing::unknown: break;
  }
  return "not judged";
}

cell cell_of(const std::optional<estimate>& value) {
  return value ? calib::cell_of(*value) : cell{"?", "", ""};
}

// Of what may as well be nothing there is no part.
cell change_of(const compared& one) {
  const bool has_parts =
      one.before && one.after && one.before->interval && one.before->interval->low > 0;
  if (!has_parts) return {};
  return {format("{:+.1f} %", 100 * (one.after->median / one.before->median - 1)), "", ""};
}

std::string table_of(const compared_layer& from, bool colour) {
  grid out(colour);
  out.add("ns, G ns/B", {title("A"), title("B"), title("change"), title("B is")}, true);
  for (const compared& one : from.parameters) {
    const std::string verdict =
        one.why.empty() ? word_of(one.is) : format("{}: {}", word_of(one.is), one.why);
    out.add(one.name, {cell_of(one.before), cell_of(one.after), change_of(one), title(verdict)},
            one.is == standing::better || one.is == standing::worse);
  }
  return format("\n{}{}\n\n{}", from.name, from.decides ? "" : ", a peer: it decides nothing",
                out.text());
}

// One line that stands out.
std::string loud(const std::string& line, bool colour) {
  return format("{}  ! {}{}\n", colour ? red : "", line, colour ? plain : "");
}

std::string worse_of(const comparison& from) {
  std::string out;
  for (const compared_layer& layer : from.layers)
    for (const compared& one : layer.parameters)
      if (one.is == standing::worse && layer.decides)
        out += format("{}{} {}", out.empty() ? "" : ", ", layer.name, one.name);
  return out;
}

void warn(const char* which, const std::string& file, const profile& of) {
  if (!of.complete) say(format("{}, {}, is incomplete: it ended early", which, file));
  if (of.unfit.empty()) return;
  const std::size_t more = of.unfit.size() - 1;
  say(format("{}, {}, is unfit: {}{}", which, file, of.unfit.front(),
             more > 0 ? format(" (and {} more)", more) : ""));
}

}  // namespace

std::string table_of(const comparison& from, bool colour) {
  std::string out;
  for (const compared_layer& one : from.layers) out += table_of(one, colour);
  const auto count = [&](standing which) { return from.count(which); };
  out += format("\n  B against A: {} same, {} better, {} worse, {} not judged\n",
                count(standing::same), count(standing::better), count(standing::worse),
                count(standing::unknown));
  if (const std::string names = worse_of(from); !names.empty())
    out += loud("worse: " + names, colour);
  for (const std::string& name : from.only_before) out += loud(name + " is only in A", colour);
  for (const std::string& name : from.only_after) out += loud(name + " is only in B", colour);
  return out;
}

exit_status compare_files(const std::string& before, const std::string& after) {
  const std::optional<profile> a = read_profile(before);
  const std::optional<profile> b = a ? read_profile(after) : std::nullopt;
  if (!b) return bad_usage;
  warn("A", before, *a);
  warn("B", after, *b);
  if (a->fingerprint != b->fingerprint)
    say(format("A and B are of different machines or libams: {}; {}", a->fingerprint,
               b->fingerprint));
  const comparison found = compare(*a, *b);
  const std::string head = format("A: {}\nB: {}\n", before, after);
  if (!write_text(head + table_of(found, may_colour(STDOUT_FILENO)), "-")) return failed;
  if (found.count(standing::worse) > 0) return failed;
  if (found.count(standing::same) + found.count(standing::better) > 0) return good;
  say("nothing could be compared: no parameter of libam has an interval in both");
  return bad_usage;
}

}  // namespace calib

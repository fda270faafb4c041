// LogGOPSim takes LogGOPS in whole nanoseconds: L, one o for both ends, g, G and O per byte, and S,
// the size from which on a message waits for its receiver. S of peers is not measured here, so they
// have no command. A comment says what is lost. Where a byte costs little, a second command has
// picoseconds, for schedules whose computations are in picoseconds, too.
#include <calib/driver/export/exports.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace calib {
namespace {

constexpr int most = std::numeric_limits<int>::max();  // that LogGOPSim takes

// In ns, and ns per byte.
struct loggops {
  double L, o, g, G, O;
};

// The sender's overhead per byte, of the largest pieces.
double overhead_per_byte(const layer_profile& from) {
  const std::string& operation = from.loggp.front().operation;
  std::vector<logp::sized_gap> calls;
  for (const sized_cost& one : from.sizes)
    if (one.operation == operation) calls.push_back({static_cast<double>(one.bytes), one.o.median});
  const std::vector<logp::gap_segment> segments = logp::fit_segments(calls);
  return segments.empty() ? 0 : segments.back().G;
}

// A parameter that is missing; empty: none is. G is that of stores, or of the operation that a
// layer has instead.
std::string missing_in(const layer_profile& from) {
  for (const char* name : {"L", "o_s", "o_r", "g"})
    if (!from.logp[name].value) return name;
  return from.loggp.empty() ? "G" : "";
}

loggops parameters_of(const layer_profile& from) {
  const auto median = [&](const char* name) { return from.logp[name].value->median; };
  return {median("L"), (median("o_s") + median("o_r")) / 2, median("g"),
          from.loggp.front().G.median, overhead_per_byte(from)};
}

// `unit`: units of time in a nanosecond. Empty: a value is too large.
std::string command(const loggops& of, double unit) {
  const double all[] = {of.L, of.o, of.g, of.G, of.O};
  long whole[std::size(all)] = {};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const double value = std::round(std::max(all[i], 0.0) * unit);
    if (value > most) return {};
    whole[i] = static_cast<long>(value);
  }
  return format("LogGOPSim -f FILE.bin -L {} -o {} -g {} -G {} -O {} -S {}\n", whole[0], whole[1],
                whole[2], whole[3], whole[4], most);
}

std::string describe_losses(const layer_profile& from, const loggops& of) {
  std::string out =
      format("#   o is the mean of o_s, {} ns, and o_r, {} ns\n",
             number(from.logp["o_s"].value->median), number(from.logp["o_r"].value->median));
  for (const auto& [name, value] :
       {std::pair("L", of.L), std::pair("o", of.o), std::pair("g", of.g), std::pair("G", of.G),
        std::pair("O", of.O)})
    if (value < 0)
      out += format("#   {} is {} ns, and 0 is the least that the simulator takes\n", name,
                    number(value));
  if (of.o > of.g)
    out += format("#   a stream is simulated with a message every o; measured is g, {} ns\n",
                  number(of.g));
  return out;
}

std::string lines_of(const layer_profile& from) {
  const std::string name = from.name();
  if (!is_ours(from.layer))
    return format("\n# {}: from which size on it waits for receivers (-S) is not known\n", name);
  if (const std::string missing = missing_in(from); !missing.empty())
    return format("\n# {}: {} is not known, so there is no command\n", name, missing);
  const loggops of = parameters_of(from);
  const std::string in_ns = command(of, 1);
  if (in_ns.empty()) return format("\n# {}: more than {} ns, so there is no command\n", name, most);
  std::string out = format("\n# {}\n{}", name, describe_losses(from, of));
  const std::string in_ps = command(of, 1000);
  if (of.G < 10 && !in_ps.empty())
    out += format(
        "#   a byte costs G {:.4f} and O {:.4f} ns, rounded below; in ps, with every calc "
        "of the schedule in ps:\n#   {}",
        of.G, of.O, in_ps);
  return out + in_ns;
}

}  // namespace

std::string loggopsim_of(const profile& from) {
  std::string out = head_of(from);
  out += format(
      "# LogGOPSim's parameters in ns, whole numbers, as it takes them. -S {}: in libam no "
      "store waits for\n# its receiver.\n",
      most);
  for (const layer_profile& one : from.layers) out += lines_of(one);
  return out;
}

}  // namespace calib

#include <calib/driver/profile/profile_table.hpp>

#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace calib {
namespace {

constexpr const char* yellow_on = "\x1b[33m";
constexpr const char* all_off = "\x1b[0m";

cell cell_of(const logp::parameter& p) {
  if (!p.value) return {"?", "", ""};
  return calib::cell_of(*p.value);
}

cell cell_of(std::optional<double> figure) { return {figure ? number(*figure) : "?", "", ""}; }

// The signature without a delay: one character for each M, from the lowest value to the highest.
std::string sparkline(const layer_profile& of) {
  static constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> ns;
  std::uint64_t last = 0;
  double delay = 0;
  for (const signature_point& p : of.signature) {
    if (p.delay_ns != delay || p.messages == 0) continue;
    ns.push_back(p.ns);
    last = p.messages;
  }
  if (ns.empty()) return {};
  const auto [low, high] = std::ranges::minmax(ns);
  std::string out;
  for (const double value : ns)
    out += blocks[high > low ? std::min<std::size_t>(
                                   7, static_cast<std::size_t>(8 * (value - low) / (high - low)))
                             : 0];
  return format("{}   {} .. {} ns, M = 1 .. {}", out, number(low), number(high), last);
}

std::size_t widest(const profile& from) {
  std::size_t out = 0;
  for (const layer_profile& one : from.layers) out = std::max(out, one.name().size());
  return out;
}

std::string signatures(const profile& from) {
  std::string out =
      "\nSignature: ns for each of M requests issued on an idle layer, M doubling\n\n";
  for (const layer_profile& one : from.layers)
    out += format("  {:<{}} {}\n", one.name(), widest(from), sparkline(one));
  return out;
}

double known(const logp::parameter& p) { return p.value ? std::max(p.value->median, 0.0) : 0; }

// o_s, L and o_r. Where both processors work at the same time their sum exceeds the whole, L is
// negative and counts as 0.
struct one_way_parts {
  double o_s, L, o_r;
  [[nodiscard]] double sum() const { return o_s + L + o_r; }
};

one_way_parts parts_of(const layer_profile& of) {
  return {known(of.logp["o_s"]), known(of.logp["L"]), known(of.logp["o_r"])};
}

// Layers over one transport share a scale: the slowest of them has the whole width.
std::string bar(const layer_profile& of, const profile& whole) {
  constexpr double width = 48;
  double longest = 0;
  for (const layer_profile& one : whole.layers)
    if (one.layer.transport == of.layer.transport) longest = std::max(longest, parts_of(one).sum());
  if (longest <= 0) return {};
  const one_way_parts p = parts_of(of);
  const auto cells = [&](double ns) { return std::lround(width * ns / longest); };
  const long s = cells(p.o_s);
  const long r = cells(p.o_r);
  const long all = cells(p.sum());
  std::string out;
  for (long i = 0; i < s; ++i) out += "█";
  for (long i = s; i < all - r; ++i) out += "░";
  for (long i = 0; i < r; ++i) out += "▓";
  for (long i = std::max(all, s + r); i < std::lround(width); ++i) out += ' ';
  return out;
}

std::string bars(const profile& from) {
  std::string out = "\nOne way: █ o_s  ░ L  ▓ o_r; and the gap before the next message\n\n";
  for (const layer_profile& one : from.layers)
    out += format("  {:<{}} {}  {} ns, g {}\n", one.name(), widest(from), bar(one, from),
                  number(known(one.logp["rtt"]) / 2), cell_of(one.logp["g"]).figure);
  return out;
}

std::string warnings(const profile& from, bool colour) {
  std::string out = warning_lines(from.failed, colour) + warning_lines(from.unfit, colour);
  for (const std::string& line : from.remarks)
    out += format("{}  - {}{}\n", colour ? yellow_on : "", line, colour ? all_off : "");
  if (!from.complete) out += "  ! the measurement ended early\n";
  if (const std::string text = from.conditions_text(); !text.empty()) out += format("  {}\n", text);
  return out;
}

// The fewest and the most launches that a figure is of.
std::pair<std::size_t, std::size_t> launches_of(const profile& from) {
  std::pair<std::size_t, std::size_t> out{0, 0};
  for (const layer_profile& one : from.layers) {
    const std::optional<estimate>& rtt = one.logp["rtt"].value;
    if (!rtt) continue;
    out.first = out.first == 0 ? rtt->n : std::min(out.first, rtt->n);
    out.second = std::max(out.second, rtt->n);
  }
  return out;
}

}  // namespace

grid parameter_grid(const profile& from, std::initializer_list<const char*> names, bool colour) {
  grid out(colour);
  std::vector<cell> titles;
  for (const char* name : names) titles.push_back(title(name));
  out.add("ns", titles, true);
  for (const layer_profile& one : from.layers) {
    std::vector<cell> cells;
    for (const char* name : names) cells.push_back(cell_of(one.logp[name]));
    out.add(one.name(), std::move(cells));
  }
  return out;
}

grid loggp_grid(const profile& from, bool colour) {
  grid out(colour);
  out.add("",
          {title("G"), title("G uncached"), title("g0"), title("a byte costs G from"),
           title("half bandwidth")},
          true);
  out.add("", {title("ns/B"), title("ns/B"), title("ns"), title("bytes"), title("bytes")});
  for (const layer_profile& one : from.layers)
    for (const loggp_cost& cost : one.loggp)
      out.add(one.name() + ' ' + cost.operation, {calib::cell_of(cost.G),
                                                  cell_of(cost.G_uncached),
                                                  calib::cell_of(cost.g0),
                                                  {number(cost.segments.back().from), "", ""},
                                                  cell_of(cost.half_bandwidth_bytes)});
  return out;
}

std::vector<std::string> cost_sentences(const profile& from) {
  std::vector<std::string> out;
  for (const layer_profile& one : from.layers) {
    const logp::parameter& g = one.logp["g"];
    const logp::parameter& o = one.logp["o_s"];
    const logp::parameter& rtt = one.logp["rtt"];
    if (!is_ours(one.layer) || !g.value || !o.value || !rtt.value || g.value->median <= 0) continue;
    out.push_back(
        format("{}: a message costs this core {} ns; {:.0f} messages fit in a round trip.",
               one.name(), value_text(*o.value), rtt.value->median / g.value->median));
  }
  return out;
}

std::string table_of(const profile& from, bool colour) {
  std::string out = headline(from.machine);
  out += warnings(from, colour);
  if (from.layers.empty()) return out;
  out += "\nLogP: what four words cost between two processes, one message at a time\n\n";
  out += parameter_grid(from, {"o_s", "o_r", "L", "g", "rtt"}, colour).text();
  out += "\nInside a stream of messages\n\n";
  out += parameter_grid(from, {"o_s_stream", "o_r_stream", "g"}, colour).text();
  for (const layer_profile& one : from.layers)
    for (const std::string& line : one.logp.remarks)
      if (is_ours(one.layer)) out += format("  - {}: {}\n", one.name(), line);
  out += "\nLogGP: g(n) = g0 + n G between pieces of n bytes that follow each other\n\n";
  out += loggp_grid(from, colour).text();
  out += cross_checks_text(from);
  out += signatures(from);
  out += bars(from);
  out += '\n';
  for (const std::string& line : cost_sentences(from)) out += format("  {}\n", line);
  const auto [fewest, most] = launches_of(from);
  out += format("\n  Medians of {} launches in {:.0f} s{}.\n",
                fewest == most ? format("{}", most) : format("{} to {}", fewest, most),
                from.environment.seconds,
                median_ranks(fewest) ? ", and the interval that holds each with 95 %" : "");
  return out;
}

}  // namespace calib

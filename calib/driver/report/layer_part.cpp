// What one layer of a profile shows: its signature, and its costs by size.
#include <calib/driver/report/profile_part.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace calib {
namespace {

using drawn_as = chart::drawn_as;

estimate bare(double value) { return {value, std::nullopt, 0}; }

// ---- the signature ----

std::string delay_name(double ns) {
  return ns == 0 ? "no delay" : format("delay {} ns", number(ns));
}

std::vector<double> delays_of(const layer_profile& of) {
  std::set<double> out;
  for (const signature_point& p : of.signature) out.insert(p.delay_ns);
  return {out.begin(), out.end()};
}

// As many as marks can tell apart beside the two models: the least, the greatest, and some between.
std::vector<double> drawn_delays(const layer_profile& of) {
  constexpr std::size_t most = 4;
  const std::vector<double> all = delays_of(of);
  if (all.size() <= most) return all;
  std::vector<double> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return out;
}

// A level line from end to end.
void add_level(const char* name, const logp::parameter& at, double most, chart& into) {
  if (at.value) into.lines.push_back({name, drawn_as::model, {{1, *at.value}, {most, *at.value}}});
}

chart signature_chart(const layer_profile& of) {
  chart out{"", {"requests in a row", axis::scale::log}, {"ns for each", axis::scale::log}, {}};
  double most = 1;
  for (const double delay : drawn_delays(of)) {
    chart::line line{delay_name(delay), drawn_as::curve, {}};
    for (const signature_point& p : of.signature) {
      if (p.delay_ns != delay || p.messages == 0) continue;
      line.points.push_back({static_cast<double>(p.messages), bare(p.ns)});
      most = std::max(most, line.points.back().x);
    }
    if (!line.points.empty()) out.lines.push_back(std::move(line));
  }
  add_level("o_s", of.logp["o_s"], most, out);
  add_level("g", of.logp["g"], most, out);
  return out;
}

// A row for each number of requests, and a column for each delay.
grid signature_grid(const layer_profile& of) {
  constexpr std::uint64_t steadily = ~std::uint64_t{0};  // behind all numbers
  const std::vector<double> delays = delays_of(of);
  std::map<std::uint64_t, std::map<double, double>> rows;
  for (const signature_point& p : of.signature)
    rows[p.messages == 0 ? steadily : p.messages][p.delay_ns] = p.ns;
  grid out(false);
  std::vector<cell> titles;
  for (const double delay : delays) titles.push_back(title(delay_name(delay)));
  out.add("requests; ns for each", std::move(titles), true);
  for (const auto& [messages, ns] : rows) {
    std::vector<cell> cells;
    for (const double delay : delays) {
      const auto at = ns.find(delay);
      cells.push_back(at == ns.end() ? cell{} : cell{number(at->second), "", ""});
    }
    out.add(messages == steadily ? "steadily" : format("{}", messages), std::move(cells));
  }
  return out;
}

// The regimes: the first request, the last ones, and what sets the gap.
std::string signature_words(const layer_profile& of) {
  const signature_point *first = nullptr, *last = nullptr, *steady = nullptr;
  for (const signature_point& p : of.signature) {
    if (p.delay_ns != 0) continue;
    if (p.messages == 0)
      steady = &p;
    else if (first == nullptr || p.messages < first->messages)
      first = &p;
    if (p.messages != 0 && (last == nullptr || p.messages > last->messages)) last = &p;
  }
  std::string out =
      "The signature: ns for each of some requests on an idle layer, with and without "
      "a computation between them.";
  if (first != nullptr)
    out += format(" Without one, {} take{} {} ns each and {} {} ns", first->messages,
                  first->messages == 1 ? "s" : "", number(first->ns), last->messages,
                  number(last->ns));
  if (first != nullptr && steady != nullptr)
    out += format("; steadily it is {} ns", number(steady->ns));
  if (first != nullptr) out += '.';
  const auto level = [&](const char* name) {
    const std::optional<estimate>& value = of.logp[name].value;
    return value ? format("{}, {} ns", name, value_text(*value)) : std::string(name);
  };
  out += format(
      " The dashed lines are {}, by which the first requests go, and {}, by which a stream goes.",
      level("o_s"), level("g"));
  for (const std::string& remark : of.logp.remarks) out += '\n' + remark;
  return out;
}

// ---- costs by size ----

std::vector<std::string> operations_of(const layer_profile& of) {
  std::vector<std::string> out;
  for (const sized_cost& one : of.sizes)
    if (std::ranges::find(out, one.operation) == out.end()) out.push_back(one.operation);
  return out;
}

// A line for each operation; `value`: nothing where it is not known.
template <class Value>
chart sized_chart(const layer_profile& of, const char* title, const char* unit, Value&& value) {
  chart out{title, {"bytes", axis::scale::log}, {unit, axis::scale::log}, {}};
  for (const std::string& operation : operations_of(of)) {
    chart::line line{operation, drawn_as::curve, {}};
    for (const sized_cost& one : of.sizes) {
      const std::optional<estimate> at = value(one);
      if (one.operation == operation && at)
        line.points.push_back({static_cast<double>(one.bytes), *at});
    }
    if (!line.points.empty()) out.lines.push_back(std::move(line));
  }
  return out;
}

// The fit, at its ends and at the sizes between them: it is straight on no logarithmic axis.
void add_segments(const layer_profile& of, chart& into) {
  for (const loggp_cost& cost : of.loggp)
    for (const logp::gap_segment& s : cost.segments) {
      std::set<double> bytes = {s.from, s.to};
      for (const sized_cost& one : of.sizes)
        if (const auto n = static_cast<double>(one.bytes); n > s.from && n < s.to) bytes.insert(n);
      chart::line line{cost.operation, drawn_as::model, {}};
      for (const double n : bytes) line.points.push_back({n, bare(s.g0 + n * s.G)});
      into.lines.push_back(std::move(line));
    }
}

std::vector<chart> sized_charts(const layer_profile& of) {
  chart gap =
      sized_chart(of, "Gap g(n)", "ns", [](const sized_cost& c) { return std::optional(c.g); });
  add_segments(of, gap);
  return {
      sized_chart(of, "Time until it is there, T(n)", "ns",
                  [](const sized_cost& c) { return std::optional(c.T); }),
      sized_chart(of, "Bandwidth", "GB/s", [](const sized_cost& c) { return c.bandwidth().value; }),
      sized_chart(of, "The sender's call, o(n)", "ns",
                  [](const sized_cost& c) { return std::optional(c.o); }),
      std::move(gap)};
}

// The gap by the segment that has the size.
cell fitted_cell(const layer_profile& of, const sized_cost& at) {
  const auto cost = std::ranges::find(of.loggp, at.operation, &loggp_cost::operation);
  if (cost == of.loggp.end()) return {};
  const auto n = static_cast<double>(at.bytes);
  for (const logp::gap_segment& s : cost->segments)
    if (s.from <= n && n <= s.to) return {number(s.g0 + n * s.G), "", ""};
  return {};
}

grid sized_grid(const layer_profile& of) {
  grid out(false);
  out.add("", {title("o"), title("g"), title("g0 + n G"), title("T"), title("bandwidth")}, true);
  out.add("", {title("ns"), title("ns"), title("ns"), title("ns"), title("GB/s")}, true);
  for (const sized_cost& one : of.sizes) {
    const std::optional<estimate> rate = one.bandwidth().value;
    out.add(format("{} of {} bytes", one.operation, one.bytes),
            {cell_of(one.o), cell_of(one.g), fitted_cell(of, one), cell_of(one.T),
             rate ? cell_of(*rate) : cell{"?", "", ""}});
  }
  return out;
}

grid segment_grid(const layer_profile& of) {
  grid out(false);
  out.add("", {title("from, bytes"), title("to, bytes"), title("g0, ns"), title("G, ns/B")}, true);
  for (const loggp_cost& cost : of.loggp)
    for (const logp::gap_segment& s : cost.segments)
      out.add(cost.operation, {{format("{:.0f}", s.from), "", ""},
                               {format("{:.0f}", s.to), "", ""},
                               {number(s.g0), "", ""},
                               {format("{:.4g}", s.G), "", ""}});
  return out;
}

// The segments, whose ends are the breakpoints.
std::string sized_words(const layer_profile& of) {
  std::string out = "Costs by the bytes of a piece. The dashed lines are g0 + n G:";
  for (const loggp_cost& cost : of.loggp) {
    out += format("\n{}: ", cost.operation);
    for (const logp::gap_segment& s : cost.segments)
      out += format("{}{} + n x {:.4g} ns from {:.0f} to {:.0f} bytes",
                    &s == cost.segments.data() ? "" : "; ", number(s.g0), s.G, s.from, s.to);
    if (cost.half_bandwidth_bytes)
      out +=
          format("; half of the largest bandwidth at {} bytes", number(*cost.half_bandwidth_bytes));
    out += '.';
  }
  return out;
}

}  // namespace

void add_layer(const layer_profile& from, const profile_label& label, html::page& into) {
  if (from.signature.empty() && from.sizes.empty()) return;
  into.heading(from.name());
  if (const chart shown = signature_chart(from); !shown.lines.empty())
    into.picture(signature_words(from), std::vector{shown}, label.file("signature-" + from.name()),
                 signature_grid(from));
  if (!from.sizes.empty())
    into.picture(sized_words(from), sized_charts(from), label.file("sizes-" + from.name()),
                 sized_grid(from));
  if (!from.loggp.empty())
    into.table(
        label.file("segments-" + from.name()),
        "The segments of g(n) = g0 + n G; where one ends and the next begins is a breakpoint.",
        segment_grid(from));
}

}  // namespace calib

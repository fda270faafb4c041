#include <calib/driver/report/profile_part.hpp>

#include <calib/driver/measure/machine.hpp>
#include <calib/driver/profile/profile_table.hpp>
#include <calib/driver/report/parts.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace calib {
namespace {

// The names of libam's layers, or of the others.
std::string names_of(const profile& from, bool ours) {
  std::string out;
  for (const layer_profile& one : from.layers)
    if (is_ours(one.layer) == ours) out += (out.empty() ? "" : ", ") + one.name();
  return out;
}

void add_machine(const profile& from, const profile_label& label, html::page& into) {
  into.paragraph(headline(from.machine));
  into.paragraph(format(
      "File of {}; {:.0f} s of measuring. libam over: {}.{}", label.written_on,
      from.environment.seconds, names_of(from, true),
      names_of(from, false).empty() ? "" : format(" Its peers: {}.", names_of(from, false))));
  into.paragraph("What the figures depend on: " + from.fingerprint + '.');
  if (const std::string text = from.conditions_text(); !text.empty()) into.paragraph(text + '.');
}

// A line for each layer, and a mark for each parameter.
html::dots parameters_of(const profile& from) {
  html::dots out{{"o_s", "o_r", "L", "g", "rtt"}, {}, "ns", 0, axis::scale::log_from_0};
  for (const layer_profile& one : from.layers) {
    html::dots::line line{one.name(), {}};
    for (std::size_t i = 0; i < out.series.size(); ++i)
      if (const auto& value = one.logp[out.series[i]].value) line.shown.push_back({i, *value});
    out.lines.push_back(std::move(line));
  }
  return out;
}

// The same of G: a mark for each operation.
html::dots byte_costs_of(const profile& from) {
  html::dots out{{}, {}, "ns/B"};
  for (const layer_profile& one : from.layers) {
    html::dots::line line{one.name(), {}};
    for (const loggp_cost& cost : one.loggp) {
      if (std::ranges::find(out.series, cost.operation) == out.series.end())
        out.series.push_back(cost.operation);
      line.shown.push_back({place_of(out.series, cost.operation), cost.G});
    }
    if (!line.shown.empty()) out.lines.push_back(std::move(line));
  }
  return out;
}

void add_parameters(const profile& from, const profile_label& label, html::page& into) {
  into.heading("LogP of all layers");
  into.picture(
      "What four words cost between two processes: the sender's and the receiver's overhead o_s "
      "and o_r, the rest of one way L, the gap g of a stream, and a round trip. A line through a "
      "mark is the interval that holds the figure with 95 %. What is less than 0 stands at 0.",
      parameters_of(from), label.file("logp"),
      parameter_grid(from, {"o_s", "o_r", "L", "g", "rtt"}, false));
  into.table(label.file("stream"), "Inside a stream of messages, where they share costs.",
             parameter_grid(from, {"o_s_stream", "o_r_stream", "g"}, false));
  const html::dots bytes = byte_costs_of(from);
  if (bytes.lines.empty()) return;
  into.picture(
      "G, what a byte more costs in the largest pieces. g0, in the table, is what a piece "
      "costs besides its bytes.",
      bytes, label.file("loggp"), loggp_grid(from, false));
}

void add_wake_up(const profile& from, const profile_label& label, html::page& into) {
  grid out(false);
  out.add("ns", {title("longer by")}, true);
  bool any = false;
  for (const layer_profile& one : from.layers) {
    if (!one.wake_up) continue;
    out.add(one.name(), {cell_of(*one.wake_up)});
    any = true;
  }
  if (any)
    into.table(label.file("wake-up"), "By how much a round trip is longer to a peer that sleeps.",
               out);
}

// "condition-93", "condition-93-slow-1": in the names of files.
std::string key_of(const line_condition& one) {
  std::string out = format("condition-{:.0f}", one.line_ns);
  if (!one.slow_ranks.empty()) out += "-slow";
  for (const unsigned rank : one.slow_ranks) out += format("-{}", rank);
  return out;
}

// The figures of each less frequent condition, as above for the profile's own.
void add_others(const profile& from, const profile_label& label, html::page& into) {
  if (from.others.empty()) return;
  into.heading("In the less frequent conditions");
  for (const condition_profile& one : from.others) {
    profile there;
    there.layers = one.layers;
    const std::string name = key_of(one.is);
    const std::string where =
        format("Where a cache line takes {} (times from {} to {} ns), in {:.0f} % of the samples",
               place_of(one.is), number(one.is.low), number(one.is.high), 100 * one.is.share);
    if (there.layers.empty()) {
      into.paragraph(where + ", too little was measured.");
      continue;
    }
    into.table(
        label.file(name), where + ".",
        parameter_grid(there, {"o_s", "o_r", "o_s_stream", "o_r_stream", "g", "L", "rtt"}, false));
    into.table(label.file(name + "-loggp"), "The costs of bytes there.", loggp_grid(there, false));
  }
}

}  // namespace

std::string profile_label::file(const std::string& of) const {
  return file_name(letter.empty() ? of : letter + '-' + of);
}

void add_profile(const profile& from, const profile_label& label, html::page& into) {
  add_machine(from, label, into);
  add_warnings(from, into);
  into.list(cost_sentences(from));
  if (!from.remarks.empty()) into.paragraph("Worth knowing:");
  into.list(from.remarks);
  if (from.layers.empty()) return;
  add_parameters(from, label, into);
  add_wake_up(from, label, into);
  add_others(from, label, into);
  add_checks(from, label, into);
  for (const layer_profile& one : from.layers) add_layer(one, label, into);
}

}  // namespace calib

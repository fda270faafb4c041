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
  html::dots out{{"o_s", "o_r", "L", "g", "rtt"}, {}, "ns"};
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
      "and "
      "o_r, the rest of one way L, the gap g of a stream, and a round trip. A line through a mark "
      "is the interval that holds the figure with 95 %. What is 0 or less has no place here, and "
      "stands in the table alone.",
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
  add_checks(from, label, into);
  for (const layer_profile& one : from.layers) add_layer(one, label, into);
}

}  // namespace calib

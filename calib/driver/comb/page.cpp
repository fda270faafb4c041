// The result of COMB as a page: every curve as a picture, and below it what it shows.
#include <calib/driver/comb/charts.hpp>
#include <calib/driver/measure/measured_page.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib {
namespace {

// A name for files: "pww-test-shm-100000-4".
std::string file_name(const std::string& transport, const comb_case& of) {
  std::string out = format("{}-{}-{}-{}", of.method, transport, of.bytes, of.depth);
  std::ranges::replace(out, ':', '-');
  return out;
}

const std::string& name_of(const comb_layer& one) { return one.layer.name; }

// A line for each layer.
template <class Curve>
std::string caption_of(const curves_of_layers<Curve>& all) {
  std::string out;
  for (const auto& [layer, curve] : all) out += format("{}: {}.\n", name_of(*layer), curve->shown);
  out.pop_back();
  return out;
}

void add_polling(const comb_result& from, const std::string& transport, const comb_case& of,
                 html::page& into) {
  const auto all = side_by_side(from, &comb_layer::polling, transport, of);
  into.heading(format("Polling over {}: {}", transport, size_of(of)));
  into.picture(caption_of(all), rate_charts(all), file_name(transport, of),
               by_iterations(all, "interval", cell_of, false));
}

void add_pww(const comb_result& from, const std::string& transport, const comb_case& of,
             html::page& into) {
  const auto all = side_by_side(from, &comb_layer::pww, transport, of);
  const bool with_test = of.method == "pww-test";
  into.heading(format("Post-work-wait{} over {}: {}", with_test ? " with one test" : "", transport,
                      size_of(of)));
  into.picture(caption_of(all), phase_charts(all), file_name(transport, of) + "-phases",
               by_work(all, {with_test, true}, cell_of, false));
  into.picture("Bandwidth and availability of the same batches.", rate_charts(all),
               file_name(transport, of), by_iterations(all, "work", cell_of, false));
}

struct merit {
  std::string of;  // method, size and depth
  const comb_layer* layer;
  estimate value;
};

template <class Curve>
void add_merits(const comb_result& from, std::vector<Curve> comb_layer::*method,
                const std::string& transport, std::vector<merit>& to) {
  for (const auto& [over, of] : cases_of(from, method))
    if (over == transport)
      for (const auto& [layer, curve] : side_by_side(from, method, transport, of))
        to.push_back({format("{}, {}", of.method, size_of(of)), layer, curve->merit});
}

// A line for each case, and a mark for each layer.
html::dots dots_of(const std::vector<merit>& merits) {
  html::dots out{{}, {}, "merit", 0.5, axis::scale::linear};
  for (const merit& one : merits) {
    if (out.lines.empty() || out.lines.back().name != one.of) out.lines.push_back({one.of, {}});
    if (std::ranges::find(out.series, name_of(*one.layer)) == out.series.end())
      out.series.push_back(name_of(*one.layer));
    out.lines.back().shown.push_back({place_of(out.series, name_of(*one.layer)), one.value});
  }
  return out;
}

void add_merits(const comb_result& from, const std::string& transport, html::page& into) {
  std::vector<merit> merits;
  add_merits(from, &comb_layer::polling, transport, merits);
  add_merits(from, &comb_layer::pww, transport, merits);
  const html::dots shown = dots_of(merits);
  std::string name = "merit-" + transport;
  std::ranges::replace(name, ':', '-');
  into.heading(format("Merit over {}", transport));
  into.picture(
      "The area under bandwidth over availability: 1 where messages cost the processor nothing; at "
      "the dashed line it either works or moves messages.",
      shown, name, grid_of(shown));
}

std::set<std::string> transports_of(const comb_result& from) {
  std::set<std::string> out;
  for (const comb_layer& one : from.layers) out.insert(one.layer.transport);
  return out;
}

}  // namespace

void add_pictures(const comb_result& from, html::page& into) {
  for (const std::string& transport : transports_of(from)) {
    add_merits(from, transport, into);
    for (const auto& [over, of] : cases_of(from, &comb_layer::polling))
      if (over == transport) add_polling(from, over, of, into);
    for (const auto& [over, of] : cases_of(from, &comb_layer::pww))
      if (over == transport) add_pww(from, over, of, into);
  }
}

html::page page_of(const comb_result& from) {
  html::page out = begin_page("How much of the processor is left beside messages", from);
  out.paragraph(explanation_of(from));
  add_pictures(from, out);
  end_page(from, json_of(from), out);
  return out;
}

}  // namespace calib

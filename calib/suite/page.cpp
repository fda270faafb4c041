#include <calib/driver/html/page.hpp>
#include <calib/driver/measure/machine.hpp>
#include <calib/format.hpp>
#include <calib/suite/grids.hpp>

#include <utility>

namespace calib::suite {
namespace {

std::string name_of(const opponent& one) {
  return one.variant == one.layer ? one.layer : one.layer + ' ' + one.variant;
}

html::dots ratio_dots(const result& from, unsigned ranks) {
  const std::vector<opponent> columns = opponents_of(from, ranks);
  html::dots out{{}, {}, "times", 1};
  for (const opponent& one : columns) out.series.push_back(name_of(one));
  for (const entry& one : from.entries) {
    if (one.ranks != ranks) continue;
    html::dots::line line{line_name(one), {}};
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const ratio* const found = find_ratio(from, one, columns[i]))
        line.shown.push_back({i, found->value});
    if (!line.shown.empty()) out.lines.push_back(std::move(line));
  }
  return out;
}

void add_ranks(const result& from, unsigned ranks, html::page& into) {
  into.heading(title_of(ranks));
  if (!opponents_of(from, ranks).empty()) {
    into.picture(
        "Time of libam in times of each other layer, within the same round; a bar is the interval "
        "that holds the median with 95 %. Left of the dashed line libam is faster.",
        ratio_dots(from, ranks));
    into.table(format("ratios-{}", ranks), ratio_title, ratio_grid(from, ranks, false));
  }
  into.table(format("programs-{}", ranks), "Time and messages", traffic_grid(from, ranks, false));
}

}  // namespace

std::string page_of(const result& from) {
  html::page out("Programs over libam and over MPI", headline(from.machine));
  for (const std::string& line : from.failed) out.warning(line);
  if (!from.complete) out.warning("Stopped before the end.");
  out.paragraph(summary_of(from));
  for (const unsigned ranks : ranks_of(from)) add_ranks(from, ranks, out);
  for (const std::string& line : from.remarks) out.paragraph(line);
  out.data(json_of(from));
  return out.text();
}

}  // namespace calib::suite

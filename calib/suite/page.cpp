#include <calib/driver/html/page.hpp>
#include <calib/driver/measure/machine.hpp>
#include <calib/driver/suite/slowdown_page.hpp>
#include <calib/format.hpp>
#include <calib/suite/grids.hpp>

#include <utility>

namespace calib::suite {
namespace {

std::string name_of(const opponent& one) {
  const std::string variant = one.shown_variant();
  return variant.empty() ? one.layer : one.layer + ' ' + variant;
}

std::string caption_of(const result& from) {
  return format(
      "Time of libam in times of each other layer, within the same round{}. Left of the "
      "dashed line libam is faster.",
      median_ranks(from.rounds) ? "; a bar is the interval that holds the median with 95 %" : "");
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
    into.picture(caption_of(from), ratio_dots(from, ranks));
    into.table(format("ratios-{}", ranks), ratio_title, ratio_grid(from, ranks, false));
  }
  into.table(format("programs-{}", ranks), "Time and messages",
             traffic_grid(from.rows, from.traffic, ranks, false));
}

}  // namespace

std::string page_of(const result& from) {
  html::page out(from.sensitivities.empty() ? "Programs over libam and over MPI"
                                            : "Programs whose messages are dearer",
                 headline(from.machine));
  for (const std::string& line : from.failed) out.warning(line);
  for (const std::string& line : from.unfit) out.warning(line);
  if (was_stopped(from)) out.warning(stopped_line);
  out.paragraph(summary_of(from));
  for (const unsigned ranks : ranks_of(from)) add_ranks(from, ranks, out);
  add_sensitivities(from.sensitivities, out);
  for (const auto* lines : {&from.missing, &from.remarks})
    for (const std::string& line : *lines) out.paragraph(line);
  out.data(json_of(from));
  return out.text();
}

}  // namespace calib::suite

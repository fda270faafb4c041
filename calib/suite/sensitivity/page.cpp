#include <calib/suite/sensitivity/page.hpp>

#include <calib/format.hpp>
#include <calib/suite/grids.hpp>
#include <calib/suite/sensitivity/grid.hpp>

#include <utility>

namespace calib::suite {
namespace {

html::curves curves_of(const dial_table& of) {
  html::curves out{{}, "times as long as with AM_DIAL=0", time_text};
  for (const sensitivity* row : of.rows) {
    html::curves::panel panel{line_name(row->entry), {}};
    for (const sensitivity::point& p : row->points)
      panel.points.push_back({p.value, p.slowdown, p.least / row->base, p.most / row->base});
    out.panels.push_back(std::move(panel));
  }
  return out;
}

std::string caption_of(const dial_table& of) {
  return format(
      "How many times as long each program takes with {}, by the value of the dial; the lines are "
      "what its model says by the messages that it counts, {}.",
      of.dial,
      of.rows.front()->model.may_hide ? "at least and at most" : "both axes being logarithmic");
}

}  // namespace

void add_sensitivities(const result& from, html::page& into) {
  for (const dial_table& dialled : dial_tables(from)) {
    into.heading(title_of(dialled));
    into.picture(caption_of(dialled), curves_of(dialled));
    into.table(format("slowdown-{}-{}", dialled.dial, dialled.ranks), slope_explanation,
               slowdown_grid(dialled, false));
    for (const std::string& line : departures_of(dialled)) into.paragraph(line);
  }
}

}  // namespace calib::suite

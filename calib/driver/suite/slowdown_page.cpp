#include <calib/driver/suite/slowdown_page.hpp>

#include <calib/driver/dials/dial_values.hpp>
#include <calib/driver/suite/slowdown_grid.hpp>
#include <calib/format.hpp>

#include <utility>

namespace calib::suite {
namespace {

// What a model says, as a line.
template <class Of>
chart::line model_line(const std::string& name, const sensitivity& row, Of&& of) {
  chart::line out{name, chart::drawn_as::model, {}};
  for (const sensitivity::point& p : row.points)
    out.points.push_back({p.value, {of(p) / row.base, std::nullopt, 1}});
  return out;
}

bool is_range(const dial_table& of) { return of.rows.front()->model.may_hide; }

std::vector<chart> charts_of(const dial_table& of) {
  std::vector<chart> out;
  for (const sensitivity* row : of.rows) {
    chart one{line_name(row->entry),
              {of.dial, axis::scale::log, time_text},
              {"times as long as with AM_DIAL=0", axis::scale::log},
              {}};
    chart::line& measured =
        one.lines.emplace_back(chart::line{"measured", chart::drawn_as::points, {}});
    for (const sensitivity::point& p : row->points)
      measured.points.push_back({p.value, p.slowdown});
    one.lines.push_back(model_line(is_range(of) ? "model, at least" : "model", *row,
                                   [](const sensitivity::point& p) { return p.least; }));
    if (is_range(of))
      one.lines.push_back(
          model_line("model, at most", *row, [](const sensitivity::point& p) { return p.most; }));
    out.push_back(std::move(one));
  }
  return out;
}

// The figures of the charts.
grid points_of(const dial_table& of) {
  grid out(false);
  std::vector<cell> titles = {title(of.dial), title("measured")};
  titles.push_back(title(is_range(of) ? "model, at least" : "model"));
  if (is_range(of)) titles.push_back(title("model, at most"));
  out.add("times as long", std::move(titles), true);
  for (const sensitivity* row : of.rows)
    for (const sensitivity::point& p : row->points) {
      std::vector<cell> cells = {
          words(time_text(p.value)), cell_of(p.slowdown), {number(p.least / row->base), "", ""}};
      if (is_range(of)) cells.push_back({number(p.most / row->base), "", ""});
      out.add(line_name(row->entry), std::move(cells));
    }
  return out;
}

std::string caption_of(const dial_table& of) {
  return format(
      "How many times as long each program takes with {}, by the value of the dial; the lines are "
      "what its model says by the messages that it counts, {}.",
      of.dial, is_range(of) ? "at least and at most" : "both axes being logarithmic");
}

}  // namespace

void add_sensitivities(const std::vector<sensitivity>& from, html::page& into) {
  for (const dial_table& dialled : dial_tables(from)) {
    into.heading(title_of(dialled));
    into.picture(caption_of(dialled), charts_of(dialled),
                 format("sensitivity-{}-{}", dialled.dial, dialled.ranks), points_of(dialled));
    into.table(format("slowdown-{}-{}", dialled.dial, dialled.ranks), slope_explanation,
               slowdown_grid(dialled, false));
    for (const std::string& line : departures_of(dialled)) into.paragraph(line);
  }
}

}  // namespace calib::suite

#include <calib/driver/html/charts.hpp>

#include <calib/driver/html/labels.hpp>
#include <calib/driver/html/marks.hpp>
#include <calib/driver/output/encoding.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>

namespace calib::html {
namespace {

using names = std::vector<std::string>;

constexpr double most_decades_with_steps = 1.2;  // where the labels of these have room

// Per cent from the left, and from the top.
double left(const chart_axes& on, double value) { return on.x.at(value); }
double top(const chart_axes& on, double value) { return 100 - on.y.at(value); }

std::string line(const std::string& name, double x1, double y1, double x2, double y2) {
  return format("<line class='{}' x1='{:.2f}%' y1='{:.2f}%' x2='{:.2f}%' y2='{:.2f}%'/>", name, x1,
                y1, x2, y2);
}

// The style sets it outside the frame.
std::string label(const std::string& name, double x, double y, const std::string& text) {
  return format("<text class='{}' x='{:.2f}%' y='{:.2f}%'>{}</text>", name, x, y, escaped(text));
}

std::string frame(const chart& shown, const chart_axes& on) {
  std::string out;
  for (const double x : on.x.ticks(most_decades_with_steps)) {
    out += line("tick", left(on, x), 0, left(on, x), 100);
    out += label("below", left(on, x), 100, shown.x.text(x));
  }
  for (const double y : on.y.ticks(most_decades_with_steps)) {
    out += line("tick", 0, top(on, y), 100, top(on, y));
    out += label("beside", 0, top(on, y), shown.y.text(y));
  }
  return out;
}

// Straight lines from point to point.
std::string joined(const chart::line& of, const chart_axes& on, const std::string& name) {
  std::string out;
  const chart::point* before = nullptr;
  for (const chart::point& one : of.points) {
    if (!has_place(one, on)) continue;
    if (before != nullptr)
      out += line(name, left(on, before->x), top(on, before->y.median), left(on, one.x),
                  top(on, one.y.median));
    before = &one;
  }
  return out;
}

// Of the line of its name, or of all, where no line has its name.
bool is_model_of(const chart::line& model, const chart::line& of, const chart& in) {
  if (model.drawn != chart::drawn_as::model) return false;
  return model.name == of.name || std::ranges::none_of(in.lines, [&](const chart::line& other) {
           return other.drawn != chart::drawn_as::model && other.name == model.name;
         });
}

// With what models say there.
std::string said_of(const chart::point& one, const chart::line& of, const chart& in) {
  std::string out = format("{}: {} {}", in.x.text(one.x), of.name, value_text(one.y));
  for (const chart::line& model : in.lines)
    for (const chart::point& p : model.points)
      if (is_model_of(model, of, in) && p.x == one.x)
        out += format(", {} {}", model.name == of.name ? "model" : model.name, value_text(p.y));
  return out;
}

std::string interval(const chart::point& one, const chart_axes& on) {
  if (!one.y.interval || !has_place(one, on)) return "";
  return line("interval", left(on, one.x), top(on, one.y.interval->low), left(on, one.x),
              top(on, one.y.interval->high));
}

std::string mark(const chart::point& one, const chart::line& of, const chart& in,
                 const chart_axes& on, std::size_t series) {
  if (!has_place(one, on)) return "";
  std::string out =
      format("<g class='{}'><title>{}</title>", class_of(series), escaped(said_of(one, of, in)));
  out += interval(one, on);
  return out + format("<svg class='mark' x='{:.2f}%' y='{:.2f}%'>{}</svg></g>", left(on, one.x),
                      top(on, one.y.median), shape_of(series));
}

std::string drawn(const chart::line& of, const chart& in, const chart_axes& on,
                  std::size_t series) {
  std::string out;
  if (of.drawn != chart::drawn_as::points)
    out += joined(of, on,
                  class_of(series) + (of.drawn == chart::drawn_as::model ? " model" : " curve"));
  for (const chart::point& one : of.points)
    if (of.drawn != chart::drawn_as::model)
      out += mark(one, of, in, on, series);
    else if (const std::string bar = interval(one, on); !bar.empty())
      out += format("<g class='{}'>{}</g>", class_of(series), bar);
  return out;
}

// What is drawn, for those who cannot see it: the models stand with the points that they are of.
std::string said_of(const chart& shown) {
  std::string out = shown.title.empty() ? shown.y.name : shown.title;
  for (const chart::line& of : shown.lines)
    if (of.drawn != chart::drawn_as::model)
      for (const chart::point& one : of.points) out += "; " + said_of(one, of, shown);
  return out;
}

std::string labels(const chart& shown, const chart_axes& on, const names& all) {
  std::vector<end_label> ends;
  for (const chart::line& of : shown.lines) {
    if (of.drawn != chart::drawn_as::curve || of.points.empty()) continue;
    const chart::point& last = of.points.back();
    if (has_place(last, on)) ends.push_back({top(on, last.y.median), place_of(all, of.name)});
  }
  set_apart(ends);
  std::string out;
  for (const end_label& one : ends)
    out += label("end " + class_of(one.series), 100, one.top, all[one.series]);
  return out;
}

// Labels need room beside the frame.
bool has_labels(const chart& shown) {
  return std::ranges::count(shown.lines, chart::drawn_as::curve, &chart::line::drawn) > 1;
}

std::string drawn(const chart& shown, const chart_axes& on, const names& all) {
  std::string inside = frame(shown, on);
  for (const chart::line& of : shown.lines) inside += drawn(of, shown, on, place_of(all, of.name));
  if (has_labels(shown)) inside += labels(shown, on, all);
  return format(
      "<div><span>{}</span><small>{}</small><svg role='img'{} aria-label='{}'>{}</svg>"
      "<small>{}</small></div>\n",
      escaped(shown.title), escaped(shown.y.name), has_labels(shown) ? " class='labelled'" : "",
      escaped(said_of(shown)), inside, escaped(shown.x.name));
}

// By the first line of this name.
std::string key_of(const std::string& name, std::size_t series, const std::vector<chart>& in) {
  for (const chart& one : in)
    for (const chart::line& of : one.lines)
      if (of.name == name)
        return key_entry(series,
                         of.drawn == chart::drawn_as::model ? "<line class='model' x1='-8' x2='8'/>"
                                                            : shape_of(series),
                         name);
  return "";
}

}  // namespace

std::string html_of(const std::vector<chart>& shown) {
  const names all = line_names(shown);
  std::string out = "<p class='key'>";
  for (std::size_t i = 0; i < all.size(); ++i) out += key_of(all[i], i, shown);
  out += format("</p>\n<div class='curves{}'>\n",
                std::ranges::any_of(shown, has_labels) ? " broad" : "");
  for (const chart& one : shown) out += drawn(one, axes_of(one, shown), all);
  return out + "</div>\n";
}

}  // namespace calib::html

#include <calib/driver/html/curves.hpp>

#include <calib/driver/html/axis.hpp>
#include <calib/driver/output/encoding.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

namespace calib::html {
namespace {

using panel = curves::panel;
using point = curves::point;

constexpr double most_decades_with_steps = 1.2;  // where the labels of these have room
constexpr const char* model_class = "s1";
constexpr const char* measured_class = "s0";

struct axes {
  log_axis x, y;

  // Per cent from the left, and from the top.
  [[nodiscard]] double left(double value) const { return x.at(value); }
  [[nodiscard]] double top(double value) const { return 100 - y.at(value); }
};

axes axes_of(const curves& shown) {
  axes out;
  for (const panel& one : shown.panels)
    for (const point& p : one.points) {
      out.x.include(p.x);
      for (const double value : {p.value.median, p.least, p.most}) out.y.include(value);
      if (!p.value.interval) continue;
      out.y.include(p.value.interval->low);
      out.y.include(p.value.interval->high);
    }
  return out;
}

std::string line(const char* name, double x1, double y1, double x2, double y2) {
  return format("<line class='{}' x1='{:.2f}%' y1='{:.2f}%' x2='{:.2f}%' y2='{:.2f}%'/>", name, x1,
                y1, x2, y2);
}

// The style sets it outside the frame.
std::string label(const char* name, double left, double top, const std::string& text) {
  return format("<text class='{}' x='{:.2f}%' y='{:.2f}%'>{}</text>", name, left, top,
                escaped(text));
}

std::string frame(const curves& shown, const axes& on) {
  std::string out;
  for (const double x : on.x.ticks(most_decades_with_steps)) {
    out += line("tick", on.left(x), 0, on.left(x), 100);
    out += label("below", on.left(x), 100, shown.x_text(x));
  }
  for (const double y : on.y.ticks(most_decades_with_steps)) {
    out += line("tick", 0, on.top(y), 100, on.top(y));
    out += label("beside", 0, on.top(y), format("{}", y));
  }
  return out;
}

// Straight lines between the values at which something was measured.
std::string model_of(const panel& of, double point::*which, const axes& on) {
  std::string out;
  for (std::size_t i = 1; i < of.points.size(); ++i) {
    const point& a = of.points[i - 1];
    const point& b = of.points[i];
    out += line(model_class, on.left(a.x), on.top(a.*which), on.left(b.x), on.top(b.*which));
  }
  return out;
}

std::string said_of(const point& one, const curves& shown) {
  const cell measured = cell_of(one.value);
  std::string out = format("{}: {}", shown.x_text(one.x), measured.figure);
  if (!measured.interval.empty()) out += " (" + measured.interval + ')';
  out += ", model " + number(one.least);
  if (one.least < one.most) out += " to " + number(one.most);
  return out;
}

std::string drawn(const point& one, const curves& shown, const axes& on) {
  if (!log_axis::has_place(one.value.median)) return "";
  std::string out =
      format("<g class='{}'><title>{}</title>", measured_class, escaped(said_of(one, shown)));
  if (const auto& range = one.value.interval)
    out += line(measured_class, on.left(one.x), on.top(range->low), on.left(one.x),
                on.top(range->high));
  return out + format("<circle cx='{:.2f}%' cy='{:.2f}%' r='3'/></g>", on.left(one.x),
                      on.top(one.value.median));
}

std::string drawn(const panel& of, const curves& shown, const axes& on) {
  std::string said = of.name;
  std::string points;
  for (const point& one : of.points) {
    said += "; " + said_of(one, shown);
    points += drawn(one, shown, on);
  }
  return format("<div><span>{}</span><svg role='img' aria-label='{}'>{}{}{}{}</svg></div>\n",
                escaped(of.name), escaped(said), frame(shown, on), model_of(of, &point::most, on),
                model_of(of, &point::least, on), points);
}

std::string key_of(const char* name, const char* mark, const std::string& text) {
  return format(
      "<span><svg viewBox='-8 -8 16 16' aria-hidden='true'><g class='{}'>{}</g></svg>{}</span> ",
      name, mark, escaped(text));
}

std::string key(const curves& shown) {
  return "<p class='key'>" + key_of(measured_class, "<circle r='3'/>", "measured, " + shown.unit) +
         key_of(model_class, "<line x1='-8' x2='8'/>", "model") + "</p>\n";
}

}  // namespace

std::string html_of(const curves& shown) {
  const axes on = axes_of(shown);
  std::string out = key(shown) + "<div class='curves'>\n";
  for (const panel& one : shown.panels) out += drawn(one, shown, on);
  return out + "</div>\n";
}

}  // namespace calib::html

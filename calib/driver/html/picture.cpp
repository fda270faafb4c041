#include <calib/driver/html/picture.hpp>

#include <calib/driver/html/marks.hpp>
#include <calib/driver/output/chart.hpp>
#include <calib/driver/output/encoding.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <utility>

namespace calib::html {
namespace {

constexpr double most_track_decades_with_steps = 2.5;  // where the labels of these have room

axis axis_of(const dots& shown) {
  axis out(shown.scale);
  if (shown.reference > 0) out.include(shown.reference);
  for (const dots::line& line : shown.lines)
    for (const dot& one : line.shown) {
      out.include(one.value.median);
      if (!one.value.interval) continue;
      out.include(one.value.interval->low);
      out.include(one.value.interval->high);
    }
  return out;
}

std::string key(const dots& shown) {
  std::string out = "<p class='key'>";
  for (std::size_t i = 0; i < shown.series.size(); ++i)
    out += key_entry(i, shape_of(i), shown.series[i]);
  return out + "</p>\n";
}

std::string marks(const dots& shown, const axis& scale) {
  std::string out;
  for (const double tick : scale.ticks(most_track_decades_with_steps))
    out += format("<line class='tick' x1='{0:.2f}%' x2='{0:.2f}%' y2='100%'/>", scale.at(tick));
  if (shown.reference > 0)
    out += format("<line class='reference' x1='{0:.2f}%' x2='{0:.2f}%' y2='100%'/>",
                  scale.at(shown.reference));
  return out;
}

std::string said_of(const dot& one, const dots& shown) {
  return format("{}: {}", shown.series[one.series], value_text(one.value));
}

// Each series at a height of its own, so that none hides another.
std::string drawn(const dot& one, const dots& shown, const axis& scale) {
  if (!scale.has_place(one.value.median)) return "";
  const double height =
      100 * static_cast<double>(one.series + 1) / static_cast<double>(shown.series.size() + 1);
  std::string out =
      format("<g class='{}'><title>{}</title>", class_of(one.series), escaped(said_of(one, shown)));
  if (const auto& range = one.value.interval)
    out += format("<line x1='{:.2f}%' x2='{:.2f}%' y1='{:.1f}%' y2='{:.1f}%'/>",
                  scale.at(range->low), scale.at(range->high), height, height);
  return out + format("<svg x='{:.2f}%' y='{:.1f}%'>{}</svg></g>", scale.at(one.value.median),
                      height, shape_of(one.series));
}

// The height of a line, which grows with the number of series.
double height_of(const dots& shown) {
  return 0.75 * static_cast<double>(std::max<std::size_t>(shown.series.size(), 1)) + 0.75;
}

std::string drawn(const dots::line& line, const dots& shown, const axis& scale) {
  std::string said = line.name;
  std::string inside = marks(shown, scale);
  for (const dot& one : line.shown) {
    said += "; " + said_of(one, shown);
    inside += drawn(one, shown, scale);
  }
  return format(
      "<span>{}</span><svg class='track' role='img' aria-label='{}' style='height:{}em'>{}</svg>\n",
      escaped(line.name), escaped(said), height_of(shown), inside);
}

std::string labels(const dots& shown, const axis& scale) {
  std::string out = format("<span class='unit'>{}</span><svg class='track' aria-hidden='true'>",
                           escaped(shown.unit));
  for (const double tick : scale.ticks(most_track_decades_with_steps))
    out += format("<text x='{:.2f}%' y='1em'>{}</text>", scale.at(tick), compact(tick));
  return out + "</svg>\n";
}

}  // namespace

std::string html_of(const dots& shown) {
  const axis scale = axis_of(shown);
  std::string out = key(shown) + "<div class='dots'>\n";
  for (const dots::line& line : shown.lines) out += drawn(line, shown, scale);
  return out + labels(shown, scale) + "</div>\n";
}

grid grid_of(const dots& shown) {
  grid out(false);
  std::vector<cell> titles;
  for (const std::string& one : shown.series) titles.push_back(title(one));
  out.add(shown.unit, std::move(titles), true);
  for (const dots::line& line : shown.lines) {
    std::vector<cell> cells(shown.series.size());
    for (const dot& one : line.shown) cells[one.series] = cell_of(one.value);
    out.add(line.name, std::move(cells));
  }
  return out;
}

}  // namespace calib::html

#include <calib/driver/html/picture.hpp>

#include <calib/driver/output/escape.hpp>
#include <calib/driver/output/grid.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace calib::html {
namespace {

// A shape for each series, so that no reader needs its colour; 10 units wide about (0, 0).
constexpr const char* shapes[] = {
    "<circle r='4.5'/>",
    "<path d='M-4.5-4.5h9v9h-9z'/>",
    "<path d='M0-6L5.5 4.5h-11z'/>",
    "<path d='M0-6L6 0L0 6L-6 0z'/>",
    "<path d='M0 6L5.5-4.5h-11z'/>",
    "<path d='M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z'/>",
};

class axis {
 public:
  explicit axis(const dots& shown) {
    if (shown.reference > 0) include(shown.reference);
    for (const dots::line& line : shown.lines)
      for (const dot& one : line.shown) {
        include(one.value.median);
        if (!one.value.interval) continue;
        include(one.value.interval->low);
        include(one.value.interval->high);
      }
    if (low_ > high_) low_ = high_ = 1;
    low_ = std::log10(low_) - margin;
    high_ = std::log10(high_) + margin;
  }

  // Where a value stands, in per cent of the width.
  [[nodiscard]] double at(double value) const {
    return 100 * (std::log10(value) - low_) / (high_ - low_);
  }

  // Round values: 1, 2 and 5 of each power of ten, or the powers alone where those stand too close.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> out;
    for (double power = std::floor(low_); power <= high_; ++power)
      for (const int step : {1, 2, 5}) {
        const double value = step * std::pow(10, power);
        if (step > 1 && high_ - low_ > 2.5) continue;
        if (std::log10(value) > low_ && std::log10(value) < high_) out.push_back(value);
      }
    return out;
  }

 private:
  static constexpr double margin = 0.05;

  void include(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  double low_ = std::numeric_limits<double>::infinity();
  double high_ = 0;
};

std::string shape(std::size_t series) {
  return format("<g class='s{}'>{}</g>", series, shapes[series % std::size(shapes)]);
}

std::string key(const dots& shown) {
  std::string out = "<p class='key'>";
  for (std::size_t i = 0; i < shown.series.size(); ++i)
    out += format("<span><svg viewBox='-8 -8 16 16'>{}</svg>{}</span> ", shape(i),
                  escaped(shown.series[i]));
  return out + "</p>\n";
}

std::string marks(const dots& shown, const axis& scale) {
  std::string out;
  for (const double tick : scale.ticks())
    out += format("<line class='tick' x1='{0:.2f}%' x2='{0:.2f}%' y2='100%'/>", scale.at(tick));
  if (shown.reference > 0)
    out += format("<line class='reference' x1='{0:.2f}%' x2='{0:.2f}%' y2='100%'/>",
                  scale.at(shown.reference));
  return out;
}

std::string drawn(const dot& one, const dots& shown, const axis& scale) {
  std::string said = number(one.value.median);
  std::string out;
  if (const auto& range = one.value.interval) {
    said += format(" ({} .. {})", number(range->low), number(range->high));
    out += format("<line class='s{}' x1='{:.2f}%' x2='{:.2f}%' y1='50%' y2='50%'/>", one.series,
                  scale.at(range->low), scale.at(range->high));
  }
  return out + format("<svg x='{:.2f}%' y='50%'>{}<title>{}: {}</title></svg>",
                      scale.at(one.value.median), shape(one.series),
                      escaped(shown.series[one.series]), said);
}

std::string labels(const dots& shown, const axis& scale) {
  std::string out = format("<span class='unit'>{}</span><svg class='track'>", escaped(shown.unit));
  for (const double tick : scale.ticks())
    out += format("<text x='{:.2f}%' y='1em'>{}</text>", scale.at(tick), format("{}", tick));
  return out + "</svg>\n";
}

}  // namespace

std::string html_of(const dots& shown) {
  const axis scale(shown);
  std::string out = key(shown) + "<div class='dots'>\n";
  for (const dots::line& line : shown.lines) {
    out += format("<span>{}</span><svg class='track'>{}", escaped(line.name), marks(shown, scale));
    for (const dot& one : line.shown) out += drawn(one, shown, scale);
    out += "</svg>\n";
  }
  return out + labels(shown, scale) + "</div>\n";
}

}  // namespace calib::html

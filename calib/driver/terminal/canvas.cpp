#include <calib/driver/terminal/canvas.hpp>

#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

namespace calib::terminal {
namespace {

constexpr char marks[] = {'o', 'x', '+', '*', '#', '@'};
constexpr int colours[] = {36, 33, 32, 35, 34, 31};

std::string coloured(const std::string& text, std::size_t series, const look& how) {
  if (!how.colour) return text;
  return format("\x1b[{}m{}\x1b[0m", colours[series % std::size(colours)], text);
}

// The bit of a dot of a braille character, two across and four down.
unsigned braille_bit(std::size_t x, std::size_t y) {
  if (y == 3) return x == 0 ? 0x40 : 0x80;
  return 1U << (y + 3 * x);
}

// U+2800 to U+28FF in UTF-8.
std::string braille(unsigned dots) {
  return {'\xe2', static_cast<char>(0xa0 | (dots >> 6)), static_cast<char>(0x80 | (dots & 0x3f))};
}

}  // namespace

canvas::canvas(std::size_t columns, std::size_t rows, const look& how)
    : columns_(columns),
      rows_(rows),
      how_(how),
      grain_(how.with == characters::unicode ? grain{2, 4} : grain{1, 1}),
      cells_(columns * rows) {}

std::size_t canvas::dot(double per_cent, std::size_t count) const {
  const double last = static_cast<double>(count) - 1;
  return static_cast<std::size_t>(std::lround(std::clamp(per_cent, 0.0, 100.0) / 100 * last));
}

void canvas::put(std::size_t x, std::size_t y, std::size_t series) {
  cell& at = cell_at(x, y);
  if (at.dots == 0 && at.mark == 0) at.series = series;
  at.dots |= braille_bit(x % grain_.across, y % grain_.down);
}

void canvas::line(const place& from, const place& to, std::size_t series, bool dotted) {
  const std::size_t wide = columns_ * grain_.across;
  const std::size_t high = rows_ * grain_.down;
  const auto x1 = static_cast<double>(dot(from.x, wide));
  const auto x2 = static_cast<double>(dot(to.x, wide));
  const auto y1 = static_cast<double>(dot(100 - from.y, high));
  const auto y2 = static_cast<double>(dot(100 - to.y, high));
  const double steps = std::max({std::abs(x2 - x1), std::abs(y2 - y1), 1.0});
  for (double i = 0; i <= steps; i += dotted ? 3 : 1)
    put(static_cast<std::size_t>(std::lround(x1 + (x2 - x1) * i / steps)),
        static_cast<std::size_t>(std::lround(y1 + (y2 - y1) * i / steps)), series);
}

void canvas::mark(const place& at, std::size_t series) {
  cell& one = cells_[dot(100 - at.y, rows_) * columns_ + dot(at.x, columns_)];
  if (one.mark != 0) return;
  one.mark = marks[series % std::size(marks)];
  one.series = series;
}

std::string canvas::text_of(const cell& one) const {
  if (one.mark != 0) return coloured(std::string(1, one.mark), one.series, how_);
  if (one.dots == 0) return " ";
  return coloured(how_.with == characters::unicode ? braille(one.dots) : ".", one.series, how_);
}

std::string canvas::row(std::size_t from_top) const {
  std::string out;
  for (std::size_t i = 0; i < columns_; ++i) out += text_of(cells_[from_top * columns_ + i]);
  return out;
}

std::string mark_text(std::size_t series, const look& how) {
  return coloured(std::string(1, marks[series % std::size(marks)]), series, how);
}

}  // namespace calib::terminal

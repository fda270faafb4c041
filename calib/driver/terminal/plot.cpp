#include <calib/driver/terminal/plot.hpp>

#include <calib/driver/terminal/canvas.hpp>
#include <calib/format.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace calib::terminal {
namespace {

using names = std::vector<std::string>;

// Of a chart in characters: labels, a frame, and the canvas; two of them have 78.
constexpr std::size_t label_width = 6;
constexpr std::size_t canvas_width = 29;
constexpr std::size_t canvas_height = 8;
constexpr std::size_t gap = 2;
constexpr std::size_t whole_width = label_width + 1 + canvas_width;
constexpr std::size_t most_columns = 80;
constexpr const char* indent = "  ";
constexpr double most_decades_with_steps = 0.8;

// Text, and how many columns it takes: with colours and braille it has more bytes.
struct text_line {
  std::string text;
  std::size_t columns;
};

text_line plain(std::string text) {
  const std::size_t columns = text.size();
  return {std::move(text), columns};
}

canvas::place place_of(const chart::point& one, const chart_axes& on) {
  return {on.x.at(one.x), on.y.at(one.y.median)};
}

void draw(const chart::line& of, const chart_axes& on, std::size_t series, canvas& into) {
  const chart::point* before = nullptr;
  for (const chart::point& one : of.points) {
    if (!has_place(one, on)) continue;
    if (of.drawn != chart::drawn_as::model) into.mark(place_of(one, on), series);
    if (of.drawn != chart::drawn_as::points && before != nullptr)
      into.line(place_of(*before, on), place_of(one, on), series,
                of.drawn == chart::drawn_as::model);
    before = &one;
  }
}

std::size_t nearest(double per_cent, std::size_t count) {
  return static_cast<std::size_t>(
      std::lround(std::clamp(per_cent, 0.0, 100.0) / 100 * (static_cast<double>(count) - 1)));
}

// The label of each row; at most every second one has one.
names row_labels(const chart& shown, const chart_axes& on) {
  names out(canvas_height);
  std::size_t free_from = 0;
  std::vector<double> ticks = on.y.ticks(most_decades_with_steps);
  std::ranges::reverse(ticks);  // from the top
  for (const double tick : ticks) {
    const std::size_t row = nearest(100 - on.y.at(tick), canvas_height);
    if (row < free_from) continue;
    const std::string label = shown.y.text(tick);
    if (label.size() > label_width) continue;  // a part of a number is another number
    out[row] = label;
    free_from = row + 2;
  }
  return out;
}

// Below the canvas: each as far as there is room.
std::string column_labels(const chart& shown, const chart_axes& on) {
  std::string out(whole_width, ' ');
  std::size_t free_from = 0;
  for (const double tick : on.x.ticks(most_decades_with_steps)) {
    const std::string label = shown.x.text(tick);
    const std::size_t middle = label_width + 1 + nearest(on.x.at(tick), canvas_width);
    if (label.size() > whole_width) continue;
    const std::size_t from =
        std::min(middle - std::min(middle, label.size() / 2), whole_width - label.size());
    if (from < free_from) continue;
    out.replace(from, label.size(), label);
    free_from = from + label.size() + 1;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string head_of(const chart& shown) {
  return format("{}{}{} against {}", shown.title, shown.title.empty() ? "" : ": ", shown.y.name,
                shown.x.name);
}

std::vector<text_line> lines_of(const chart& shown, const chart_axes& on, const names& all,
                                const look& how) {
  canvas area(canvas_width, canvas_height, how);
  for (const chart::line& of : shown.lines) draw(of, on, calib::place_of(all, of.name), area);
  const bool unicode = how.with == characters::unicode;
  std::vector<text_line> out = {plain(head_of(shown).substr(0, whole_width))};
  const names labels = row_labels(shown, on);
  for (std::size_t i = 0; i < canvas_height; ++i)
    out.push_back({format("{:>{}}{}{}", labels[i], label_width, unicode ? "│" : "|", area.row(i)),
                   whole_width});
  std::string below = format("{:{}}{}", "", label_width, unicode ? "└" : "+");
  for (std::size_t i = 0; i < canvas_width; ++i) below += unicode ? "─" : "-";
  out.push_back({std::move(below), whole_width});
  out.push_back(plain(column_labels(shown, on)));
  return out;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

std::string beside(const std::vector<text_line>& left, const std::vector<text_line>& right) {
  std::string out;
  for (std::size_t i = 0; i < left.size(); ++i) {
    out += indent + left[i].text;
    if (i < right.size())
      out += std::string(whole_width - left[i].columns + gap, ' ') + right[i].text;
    end_line(out);
  }
  return out;
}

// A name that has points has a mark.
std::string legend(const std::vector<chart>& shown, const names& all, const look& how) {
  std::set<std::string> marked;
  for (const chart& one : shown)
    for (const chart::line& of : one.lines)
      if (of.drawn != chart::drawn_as::model) marked.insert(of.name);
  std::string out, line = indent;
  std::size_t columns = line.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string mark = marked.contains(all[i]) ? mark_text(i, how) : ".";
    const std::size_t needed = all[i].size() + 2;
    if (columns + needed > most_columns && columns > gap) {
      end_line(line);
      out += line;
      line = indent;
      columns = gap;
    }
    line += format("{} {}   ", mark, all[i]);
    columns += needed + 3;
  }
  end_line(line);
  return out + line;
}

}  // namespace

std::string text_of(const std::vector<chart>& shown, const look& how) {
  const names all = line_names(shown);
  std::string out;
  for (std::size_t i = 0; i < shown.size(); i += 2) {
    const auto drawn = [&](const chart& one) {
      return lines_of(one, axes_of(one, shown), all, how);
    };
    out += beside(drawn(shown[i]),
                  i + 1 < shown.size() ? drawn(shown[i + 1]) : std::vector<text_line>{});
  }
  return out + legend(shown, all, how);
}

}  // namespace calib::terminal

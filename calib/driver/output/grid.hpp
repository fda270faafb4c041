// Tables: columns of figures with their intervals, as text, HTML or CSV, and warnings below them.
#pragma once

#include <calib/statistics.hpp>

#include <string>
#include <utility>
#include <vector>

namespace calib {

// With three digits from 1 on; below, with two decimals, and below 0.1 with three.
std::string number(double value);

// A cell has a figure and behind it its interval, which are aligned separately; or a title; or
// words in the place of the figure.
struct cell {
  std::string figure;
  std::string interval;
  std::string title;
  // The ends of the interval by themselves, of a measured value.
  std::string low{};
  std::string high{};
  bool has_words = false;
};
cell cell_of(const estimate& e);
// Within a sentence: "60.0 (55.0 .. 65.0)".
std::string value_text(const estimate& e);
inline cell title(std::string text) { return {"", "", std::move(text)}; }
inline cell words(std::string text) { return {std::move(text), "", "", "", "", true}; }

// `colour`: for a terminal.
class grid {
 public:
  explicit grid(bool colour) : colour_(colour) {}

  void add(const std::string& name, std::vector<cell> cells, bool bold = false) {
    rows_.push_back({name, std::move(cells), bold});
  }
  [[nodiscard]] std::string text() const;
  // As rows of an HTML table.
  [[nodiscard]] std::string html() const;
  // RFC 4180, with the figures as shown: a line for the titles and one for each row; where a column
  // has intervals, two fields behind each figure.
  [[nodiscard]] std::string csv() const;

 private:
  struct grid_row {
    std::string name;
    std::vector<cell> cells;
    bool bold;
  };
  struct widths {
    std::size_t name = 0;
    std::vector<std::size_t> figures, intervals;
  };

  static bool is_blank(const grid_row& row);
  static bool is_title(const grid_row& row);
  // A column as CSV has it.
  struct column {
    std::string title;
    bool has_interval = false;
  };
  [[nodiscard]] std::vector<column> columns() const;
  [[nodiscard]] std::string title_of_names() const;  // what the rows' names are, or a common unit
  [[nodiscard]] widths measure() const;
  [[nodiscard]] std::string text_of(const cell& c, std::size_t figure, std::size_t interval,
                                    bool bold) const;
  [[nodiscard]] const char* code(const char* c) const { return colour_ ? c : ""; }

  bool colour_;
  std::vector<grid_row> rows_;
};

// A line with a mark, red on a terminal: what makes figures unfit for use.
std::string warning_line(const std::string& text, bool colour);
// One for each text, and lines of what is worth knowing.
std::string warning_lines(const std::vector<std::string>& texts, bool colour);
std::string remark_lines(const std::vector<std::string>& texts);

}  // namespace calib

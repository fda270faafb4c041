// Columns of figures with their intervals, for people.
#pragma once

#include <calib/statistics.hpp>

#include <string>
#include <vector>

namespace calib {

// Three digits that count.
std::string number(double value);

// A cell has the figure in front and its interval behind, which are aligned apart; or a title.
struct cell {
  std::string figure;
  std::string interval;
  std::string title;
};
cell cell_of(const estimate& e);
inline cell title(std::string text) { return {"", "", std::move(text)}; }

class grid {
 public:
  explicit grid(bool colour) : colour_(colour) {}

  void add(const std::string& name, std::vector<cell> cells, bool strong = false) {
    rows_.push_back({name, std::move(cells), strong});
  }
  [[nodiscard]] std::string text() const;

 private:
  struct line {
    std::string name;
    std::vector<cell> cells;
    bool strong;
  };
  struct widths {
    std::size_t name = 0;
    std::vector<std::size_t> figures, intervals;
  };

  [[nodiscard]] widths measure() const;
  [[nodiscard]] std::string text_of(const cell& c, std::size_t figure, std::size_t interval,
                                    bool strong) const;
  [[nodiscard]] const char* code(const char* c) const { return colour_ ? c : ""; }

  bool colour_;
  std::vector<line> rows_;
};

}  // namespace calib

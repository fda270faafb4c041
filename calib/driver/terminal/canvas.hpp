// A rectangle of character cells, in which lines are drawn and marks are put.
#pragma once

#include <calib/driver/terminal/look.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace calib::terminal {

class canvas {
 public:
  canvas(std::size_t columns, std::size_t rows, const look& how);

  // Places are in per cent from the left, and from the bottom. What was drawn first stays.
  struct place {
    double x, y;
  };
  void line(const place& from, const place& to, std::size_t series, bool dotted);
  void mark(const place& at, std::size_t series);

  [[nodiscard]] std::string row(std::size_t from_top) const;

 private:
  struct cell {
    unsigned dots = 0;  // of a braille character; in ASCII not 0: a line
    char mark = 0;
    std::size_t series = 0;
  };
  // Of the dots that a line is made of: in ASCII one for each cell.
  struct grain {
    std::size_t across, down;
  };
  [[nodiscard]] std::size_t dot(double per_cent, std::size_t count) const;
  void put(std::size_t x, std::size_t y, std::size_t series);
  [[nodiscard]] cell& cell_at(std::size_t x, std::size_t y) {
    return cells_[(y / grain_.down) * columns_ + x / grain_.across];
  }
  [[nodiscard]] std::string text_of(const cell& one) const;

  std::size_t columns_, rows_;
  look how_;
  grain grain_;
  std::vector<cell> cells_;
};

// The mark of a series, of which there are six, as text in its colour.
std::string mark_text(std::size_t series, const look& how);

}  // namespace calib::terminal

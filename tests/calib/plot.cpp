// Charts drawn with characters: the exact text.
#include <calib/driver/terminal/plot.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "contains.hpp"

using namespace calib;

namespace {

using terminal::characters;

estimate value(double median) { return {median, estimate::bounds{median, median}, 6}; }

std::vector<chart> two_charts() {
  const chart::quantity iterations{"interval", axis::scale::log_from_0};
  const auto line = [](const char* name, chart::drawn_as drawn, double by) {
    return chart::line{name, drawn, {{0, value(8 * by)}, {10, value(8 * by)}, {1e5, value(0)}}};
  };
  return {{"",
           iterations,
           {"GB/s", axis::scale::linear},
           {line("ours", chart::drawn_as::curve, 1), line("theirs", chart::drawn_as::curve, 0.5)}},
          {"ours",
           iterations,
           {"us", axis::scale::log_from_0},
           {line("theirs", chart::drawn_as::points, 2), line("model", chart::drawn_as::model, 2)}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text)
    if (c == '\n')
      out.emplace_back();
    else
      out.back() += c;
  return out;
}

std::size_t columns_of(const std::string& line) {
  std::size_t out = 0;
  for (const char c : line) out += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return out;
}

}  // namespace

TEST_CASE("two charts beside each other in ASCII, and their legend") {
  CHECK(terminal::text_of(two_charts(), {characters::ascii, false, false}) ==
        R"(  GB/s against interval                 ours: us against interval
       8|o..o.                                |
        |     ....                            |
       6|         ...                       20|
        |            ....                     |x  x  .
       4|x..x....        ....                 |         .  .
        |        ........    ...            10|               .  .
        |                ...........          |                     .  .
       0|                        ....o       0|                           .x
        +-----------------------------        +-----------------------------
         0 10    100   1k     10k 100k         0 10    100   1k     10k 100k
  o ours   x theirs   . model
)");
}

TEST_CASE("a chart in braille") {
  CHECK(terminal::text_of({two_charts().front()}, {characters::unicode, false, false}) ==
        R"(  GB/s against interval
       8│o⠒⠒o⢄⡀
        │     ⠈⠒⠤⡀
       6│        ⠈⠑⠢⣀
        │            ⠉⠢⢄⡀
       4│x⠉⠉x⠒⠢⠤⢄⣀      ⠈⠒⠤⡀
        │         ⠉⠑⠒⠢⠤⣀⡀  ⠈⠑⠢⣀
        │               ⠈⠉⠑⠒⠤⢄⣀⡉⠢⢄⡀
       0│                      ⠈⠉⠒⠪⠶⢤o
        └─────────────────────────────
         0 10    100   1k     10k 100k
  o ours   x theirs
)");
}

TEST_CASE("no line is longer than 80 columns, however long the names are") {
  std::vector<chart> charts = two_charts();
  charts.push_back(charts.front());
  for (chart& one : charts) {
    one.title = std::string(60, 't');
    for (chart::line& line : one.lines) line.name += std::string(50, 'n');
    one.y.text = [](double) { return "a long label"; };
    one.x.text = [](double) { return std::string(30, 'l'); };
  }
  for (const characters with : {characters::ascii, characters::unicode})
    for (const std::string& line : lines_of(terminal::text_of(charts, {with, false, false}))) {
      CAPTURE(line);
      CHECK(columns_of(line) <= 80);
    }
}

TEST_CASE("a label stands at its axis as a whole or not at all") {
  chart small = two_charts().front();
  small.lines = {{"ours", chart::drawn_as::curve, {{0, value(0)}, {10, value(0.0025)}}}};
  // In front of the frame, from the top.
  const auto labels_of = [](const chart& one) {
    std::string out;
    for (const std::string& line :
         lines_of(terminal::text_of({one}, {characters::ascii, false, false})))
      if (const std::size_t frame = line.find('|'); frame != std::string::npos && frame >= 8)
        out += line.substr(2, 6) + '/';
    return out;
  };
  CHECK(labels_of(small) == "0.0025/      / 0.002/      / 0.001/      /0.0005/      /");
  small.lines = {{"ours", chart::drawn_as::curve, {{0, value(0)}, {10, value(0.00025)}}}};
  CHECK(labels_of(small) == "      /      /0.0002/      /0.0001/      / 5e-05/      /");
}

TEST_CASE("colours are those of the series, and leave the columns where they are") {
  const std::string plain = terminal::text_of(two_charts(), {characters::ascii, false, false});
  std::string coloured = terminal::text_of(two_charts(), {characters::ascii, true, false});
  CHECK(contains(coloured, "\x1b[36mo\x1b[0m ours"));
  CHECK(contains(coloured, "\x1b[33mx\x1b[0m theirs"));
  for (std::size_t at = 0; (at = coloured.find('\x1b', at)) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  CHECK(coloured == plain);
}

TEST_CASE("what has no place leaves no mark") {
  chart one = two_charts().front();
  one.x.scale = axis::scale::log;
  one.lines = {{"ours", chart::drawn_as::curve, {{-1, value(1)}}}};
  const std::string text = terminal::text_of({one}, {characters::ascii, false, false});
  CHECK(text.find('o') == text.find("  o ours") + 2);
}

TEST_CASE("characters are those that were asked for, and ASCII where there is no terminal") {
  const int no_terminal = -1;
  CHECK(terminal::look_for("unicode", no_terminal).with == characters::unicode);
  CHECK(terminal::look_for("none", no_terminal).with == characters::none);
  CHECK(terminal::look_for("ascii", no_terminal).with == characters::ascii);
  CHECK(terminal::look_for("", no_terminal).with == characters::ascii);
  CHECK_FALSE(terminal::look_for("unicode", no_terminal).colour);
}

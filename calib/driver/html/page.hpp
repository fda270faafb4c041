// A result as one HTML file: it opens without a network, in light and dark, and prints.
#pragma once

#include <calib/driver/html/charts.hpp>
#include <calib/driver/html/picture.hpp>
#include <calib/driver/output/grid.hpp>

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace calib::html {

// All texts are plain; the page escapes them.
class page {
 public:
  page(std::string_view title, std::string_view below_it);
  // Behind so many bytes tables and pictures are left out: the page is of no use then.
  void limit(std::size_t bytes) { most_bytes_ = bytes; }

  void heading(std::string_view text);
  // A heading above headings: those that follow belong to it. `source`: the file that it is of.
  void part(std::string_view text, std::string_view source = {});
  void paragraph(std::string_view text);
  void warning(std::string_view text);
  // Above all parts, with the name of the source of this one.
  void first_warning(std::string_view text);
  void list(const std::vector<std::string>& lines);
  // With a link beside the caption that saves the table as `name`.csv; of several of one name the
  // second one is `name`-2.csv.
  void table(std::string_view name, std::string_view caption, const grid& rows);
  // The caption says what the picture shows, in one line or several.
  template <class Shown>
  void picture(std::string_view caption, const Shown& shown) {
    if (!is_full()) add(caption, html_of(shown));
  }
  // Behind a disclosure the table of the same figures, with its link.
  template <class Shown>
  void picture(std::string_view caption, const Shown& shown, std::string_view name,
               const grid& rows) {
    if (!is_full()) add(caption, html_of(shown), disclosed(name, caption, rows));
  }
  // The JSON of the result, as far as brief() keeps it.
  void data(const std::string& json);

  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] bool is_full() const { return body_.size() > most_bytes_; }
  std::string disclosed(std::string_view name, std::string_view label, const grid& rows);
  // To the same table as CSV.
  std::string link_to(std::string_view name, const grid& rows);
  void add(std::string_view caption, const std::string& picture, const std::string& below = {});

  std::size_t most_bytes_ = std::numeric_limits<std::size_t>::max();
  std::string title_;
  std::string head_;  // in front of all parts
  std::string body_;
  std::set<std::string> files_;  // the names of tables
  std::string source_;           // of this part
  int level_ = 2;                // of headings
};

}  // namespace calib::html

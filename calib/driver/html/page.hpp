// A result as one HTML file: it opens without a network, in light and dark, and prints.
#pragma once

#include <calib/driver/html/curves.hpp>
#include <calib/driver/html/picture.hpp>
#include <calib/driver/output/grid.hpp>

#include <string>
#include <string_view>

namespace calib::html {

// All texts are plain; the page escapes them.
class page {
 public:
  page(std::string_view title, std::string_view below_it);

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void warning(std::string_view text);
  // With a link beside the caption that saves the table as `name`.csv.
  void table(std::string_view name, std::string_view caption, const grid& rows);
  // The caption says what the picture shows.
  void picture(std::string_view caption, const dots& shown) { add(caption, html_of(shown)); }
  void picture(std::string_view caption, const curves& shown) { add(caption, html_of(shown)); }
  // The JSON of the result, so that the file is complete by itself.
  void data(std::string_view json);

  [[nodiscard]] std::string text() const;

 private:
  void add(std::string_view caption, const std::string& picture);

  std::string title_;
  std::string body_;
};

}  // namespace calib::html

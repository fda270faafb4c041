// The few of roff's man macros that the pages need. Text is escaped; the names of macros are not.
#pragma once

#include <string>
#include <string_view>

namespace am::detail::manual {

class roff {
 public:
  roff(std::string_view title, int chapter, std::string_view version);

  void heading(std::string_view text);     // a section
  void subheading(std::string_view text);  // a section within one
  void paragraph(std::string_view text);
  // A term on a line of its own, and its meaning below it.
  void entry(std::string_view bold, std::string_view rest, std::string_view meaning);
  // Lines without filling.
  void verbatim(std::string_view lines);

  [[nodiscard]] const std::string& text() const noexcept { return out_; }

 private:
  void line(std::string_view text);

  std::string out_;
  bool below_heading_ = false;  // where a new paragraph needs no macro
};

}  // namespace am::detail::manual

// Reads JSON (RFC 8259) in one pass, without a tree and without a library: the caller takes the
// values that it needs, in the order of the text, and skips the others. After the first fault every
// call does nothing, and problem() has the fault in one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace am::detail::profile {

class json_reader {
 public:
  explicit json_reader(std::string_view text) noexcept : text_(text) {}

  // Calls member(key) for each member; it takes or skips the value.
  template <class Member>
  void object(Member&& member) {
    if (!open('{')) return;
    for (bool first = true; next_of('}', first); first = false) {
      const std::string key = string();
      if (!expect(':')) return;
      member(key);
    }
  }
  // Calls item() for each; it takes or skips it.
  template <class Item>
  void array(Item&& item) {
    if (!open('[')) return;
    for (bool first = true; next_of(']', first); first = false) item();
  }
  std::string string();
  double number();
  bool boolean();
  // Takes a null, if the next value is one.
  bool take_null();
  void skip();
  // Behind the whole value nothing may follow.
  void end();
  // The caller has all that it needs: the rest of the text is not looked at.
  void stop() noexcept { stopped_ = true; }

  // A fault that the caller has found, behind what it has just taken.
  void fail(std::string_view what);
  [[nodiscard]] bool good() const noexcept { return problem_.empty() && !stopped_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  static constexpr unsigned most_depth = 32;

  [[nodiscard]] char peek();  // the next character that is no space; 0: the end, or a fault
  bool expect(char wanted);
  bool open(char bracket);
  bool next_of(char closing, bool first);
  bool word(std::string_view wanted);
  std::string_view number_text();
  void escape(std::string* into);
  void scan_string(std::string* into);  // null: it is skipped

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool stopped_ = false;
  std::string problem_;
};

}  // namespace am::detail::profile

// A file that is written in large pieces, or standard output ("-").
#pragma once

#include <libam/base/format.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace am::detail::traces {

class text_file {
 public:
  // Throws std::runtime_error with one line, as the others do.
  explicit text_file(const std::string& path);
  text_file(const text_file&) = delete;
  text_file& operator=(const text_file&) = delete;
  ~text_file();

  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    base::append(buffer_, text, std::forward<Values>(values)...);
    if (buffer_.size() >= piece) flush();
  }
  void close();

 private:
  static constexpr std::size_t piece = 1U << 20U;
  void flush();
  [[noreturn]] void fail() const;

  std::string path_;
  std::FILE* file_;
  std::string buffer_;
};

// With a unit that fits.
std::string time_text(double ns);

// Text as JSON has it, without the quotes.
std::string json_text(std::string_view text);

}  // namespace am::detail::traces

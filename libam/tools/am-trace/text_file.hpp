// A file that is written in large pieces, or standard output ("-").
#pragma once

#include <libam/base/format.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace am::detail::traces {

// A number with that many digits behind the point: 1234 and 1 are 123.4.
struct fixed {
  std::int64_t value;
  unsigned digits;
};

// The nearest whole number; of times of a damaged trace one that can be added to another.
std::int64_t nearest(double value) noexcept;

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
  // The same without a format, for what is written millions of times: text, characters, unsigned
  // numbers and fixed ones in a row.
  template <class... Values>
  void put(const Values&... values) {
    (append(values), ...);
    if (buffer_.size() >= piece) flush();
  }
  void close();

 private:
  void append(std::string_view text) { buffer_ += text; }
  void append(char one) { buffer_ += one; }
  void append(std::uint64_t number) {
    char digits[20];
    buffer_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  void append(std::uint32_t number) { append(std::uint64_t{number}); }
  void append(const fixed& number);

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
